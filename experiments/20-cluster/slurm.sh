#!/bin/bash
#SBATCH --job-name=fanorona
#SBATCH --nodes=16
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --mem=96G
#SBATCH --time=24:00:00
# Builds of the 9x5 board to ten stones on 16 nodes; set the number of stones and the folders. Submitted again it continues where it stopped, as
# long as the number of nodes and the folders are the same: after a failure with --requeue, or with --dependency=afternotok.
set -euo pipefail
stones=10
database=$HOME/fanorona-db              # seen by all nodes, or one on each
scratch=${SCRATCH:-/tmp}/fanorona       # local to each node, kept between jobs
program=$HOME/fanorona/target/release/fanorona
# Nine stones against one need so much memory for each thread that two threads are the most; nine stones in all take any number of threads.
# Without --memory each process takes what is free on its node.
srun --mpi=pmix --cpu-bind=cores "$program" build 9x5 --stones "$stones" --threads 2 \
    --memory 93G --db "$database" --scratch "$scratch"
