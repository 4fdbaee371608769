//! Which file uses items of which, and files that use each other.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{Path, Role, Source};

/// Re-exports that lead to each other would otherwise be followed for ever.
const MAX_STEPS: usize = 32;

#[derive(Default)]
struct Module {
    file: usize,
    items: BTreeSet<String>,
    /// Names that stand for other paths.
    aliases: BTreeMap<String, Vec<Vec<String>>>,
    /// Paths of which all names are here.
    globs: Vec<Vec<String>>,
}

/// What a path leads to.
enum Target {
    Module(Vec<String>),
    Item(usize),
}

struct Modules(BTreeMap<Vec<String>, Module>);

impl Modules {
    fn new(sources: &[Source]) -> Self {
        let mut modules = BTreeMap::<Vec<String>, Module>::new();
        for (file, source) in sources.iter().enumerate() {
            for module in source.inner_modules.iter().chain([&source.module]) {
                modules.entry(module.clone()).or_default().file = file;
            }
            for definition in &source.definitions {
                modules.entry(definition.scope.clone()).or_default().items.insert(definition.name.clone());
            }
            for path in &source.paths {
                let module = modules.entry(path.scope.clone()).or_default();
                match &path.role {
                    Role::Code => {}
                    Role::Import(name) | Role::Export(name) if name == "*" => module.globs.push(path.absolute()),
                    Role::Import(name) | Role::Export(name) => {
                        module.aliases.entry(name.clone()).or_default().push(path.absolute());
                    }
                }
            }
        }
        Self(modules)
    }

    /// What a name means in a module. A module and a function may have the same name: paths go on through the module.
    fn look_up(&self, scope: &[String], name: &str, last: bool, steps: usize) -> Option<Target> {
        let module = self.0.get(scope)?;
        let child: Vec<String> = scope.iter().cloned().chain([name.to_owned()]).collect();
        let child = self.0.contains_key(&child).then_some(Target::Module(child));
        let item = module.items.contains(name).then_some(Target::Item(module.file));
        let alias = || {
            let paths = module.aliases.get(name).into_iter().flatten();
            let mut targets = paths.filter_map(|path| self.resolve(scope, path, steps + 1));
            let first = targets.next()?;
            if last {
                std::iter::once(first).chain(targets).max_by_key(|target| matches!(target, Target::Item(_)))
            } else {
                Some(first)
            }
        };
        let glob = || {
            module.globs.iter().find_map(|path| match self.resolve(scope, &path[..path.len() - 1], steps + 1)? {
                Target::Module(home) if home != scope => self.look_up(&home, name, last, steps + 1),
                _ => None,
            })
        };
        if steps > MAX_STEPS {
            None
        } else if last {
            item.or_else(alias).or(child).or_else(glob)
        } else {
            child.or(item).or_else(alias).or_else(glob)
        }
    }

    fn resolve(&self, scope: &[String], path: &[String], steps: usize) -> Option<Target> {
        let (home, rest) = match path.split_first()? {
            (first, rest) if first == "crate" => (Vec::new(), rest),
            _ => (scope.to_vec(), path),
        };
        let mut target = Target::Module(home);
        for (number, name) in rest.iter().enumerate() {
            match target {
                Target::Module(module) => target = self.look_up(&module, name, number + 1 == rest.len(), steps)?,
                // A variant, a constant or a function of a type.
                Target::Item(_) => break,
            }
        }
        Some(target)
    }

    /// The file of the item that a path leads to; an imported module counts when its items are used.
    fn file_of(&self, path: &Path) -> Option<usize> {
        match self.resolve(&path.scope, &path.absolute(), 0)? {
            Target::Item(file) => Some(file),
            Target::Module(_) => None,
        }
    }
}

/// The files whose items each file uses. A re-export by itself is no use, and neither is what tests need.
pub fn uses(sources: &[Source]) -> Vec<BTreeSet<usize>> {
    let modules = Modules::new(sources);
    let used = |(file, source): (usize, &Source)| {
        let paths = source.paths.iter().filter(|path| !path.test && !matches!(path.role, Role::Export(_)));
        paths.filter_map(|path| modules.file_of(path)).filter(|&used| used != file).collect()
    };
    sources.iter().enumerate().map(used).collect()
}

/// Groups of files each of which uses all others of its group, by way of others or not.
pub fn circles(sources: &[Source]) -> Vec<Vec<String>> {
    let uses = uses(sources);
    let reached: Vec<BTreeSet<usize>> = (0..sources.len())
        .map(|start| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![start]);
            while let Some(file) = open.pop() {
                open.extend(uses[file].iter().filter(|&&next| seen.insert(next)));
            }
            seen
        })
        .collect();
    let mut circles = BTreeSet::new();
    for file in 0..sources.len() {
        let group: Vec<String> = (0..sources.len())
            .filter(|&other| reached[file].contains(&other) && reached[other].contains(&file))
            .map(|other| sources[other].name.clone())
            .collect();
        if !group.is_empty() {
            circles.insert(group);
        }
    }
    circles.into_iter().collect()
}
