//! The names that a source file uses: every path of its code, its imports and its macros, with lines and modules.

use std::fs;
use std::path::Path as FilePath;

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, Item, ItemImpl, ItemMod, ItemUse, Macro, UseTree, VisRestricted, Visibility};

/// What a path is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    Code,
    /// A private `use`, and the name it gives.
    Import(String),
    /// A `use` that others see.
    Export(String),
}

/// A path as it is written, for an import one of its leaves; `*` stands for all names.
#[derive(Clone, Debug)]
pub struct Path {
    pub line: usize,
    column: usize,
    pub segments: Vec<String>,
    pub role: Role,
    /// The module it stands in, from the root of the crate.
    pub scope: Vec<String>,
    /// How many of the modules of `scope` are in braces.
    pub inner: usize,
    /// In code that is compiled for tests alone.
    pub test: bool,
    /// In the implementation of this trait.
    pub implements: Option<String>,
}

/// An item that a file defines.
#[derive(Clone, Debug)]
pub struct Definition {
    pub scope: Vec<String>,
    pub name: String,
}

/// A source file, parsed.
pub struct Source {
    /// Its path below `src`, with `/`.
    pub name: String,
    pub text: String,
    /// Its module; empty for the root.
    pub module: Vec<String>,
    pub paths: Vec<Path>,
    pub definitions: Vec<Definition>,
    /// Modules in braces, by their paths.
    pub inner_modules: Vec<Vec<String>>,
    /// All words outside of comments and strings.
    pub words: Vec<(usize, String)>,
}

impl Path {
    /// The path from the root of the crate, if it is one of the crate's that says so; `std::…` and the like as they are written.
    pub fn absolute(&self) -> Vec<String> {
        let levels = self.levels();
        match self.segments[0].as_str() {
            "self" | "super" => {
                let home = &self.scope[..self.scope.len().saturating_sub(levels)];
                let rest = self.segments.iter().skip_while(|segment| ["self", "super"].contains(&segment.as_str()));
                ["crate".to_owned()].iter().chain(home).chain(rest).cloned().collect()
            }
            _ => self.segments.clone(),
        }
    }

    /// How many modules up it begins.
    pub fn levels(&self) -> usize {
        self.segments.iter().take_while(|segment| *segment == "super").count()
    }
}

impl Source {
    pub fn parse(name: &str, text: &str) -> Self {
        let mut module: Vec<String> = name.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
        if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
            module.pop();
        }
        let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut words = Vec::new();
        read_words(text.parse().unwrap_or_else(|error| panic!("{name}: {error}")), &mut words);
        let mut reader = Reader {
            scope: module.clone(),
            inner: 0,
            test: false,
            implements: None,
            paths: Vec::new(),
            definitions: Vec::new(),
            inner_modules: Vec::new(),
        };
        reader.visit_file(&file);
        let Reader { mut paths, definitions, inner_modules, .. } = reader;
        paths.sort_by_key(|path| (path.line, path.column));
        Self { name: name.to_owned(), text: text.to_owned(), module, paths, definitions, inner_modules, words }
    }

    /// Every file below a folder.
    pub fn all(folder: &FilePath) -> Vec<Self> {
        let mut found = Vec::new();
        read_folder(folder, "", &mut found);
        found
    }
}

fn read_folder(folder: &FilePath, name: &str, found: &mut Vec<Source>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = format!("{name}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            read_folder(&entry.path(), &format!("{name}/"), found);
        } else if entry.path().extension().is_some_and(|extension| extension == "rs") {
            found.push(Source::parse(&name, &fs::read_to_string(entry.path()).unwrap()));
        }
    }
}

fn read_words(tokens: TokenStream, words: &mut Vec<(usize, String)>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => read_words(group.stream(), words),
            TokenTree::Ident(ident) => words.push((ident.span().start().line, ident.to_string())),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

struct Reader {
    scope: Vec<String>,
    inner: usize,
    test: bool,
    implements: Option<String>,
    paths: Vec<Path>,
    definitions: Vec<Definition>,
    inner_modules: Vec<Vec<String>>,
}

impl Reader {
    fn push(&mut self, at: Span, segments: Vec<String>, role: Role) {
        let (line, column) = (at.start().line, at.start().column);
        let (scope, implements) = (self.scope.clone(), self.implements.clone());
        self.paths.push(Path { line, column, segments, role, scope, inner: self.inner, test: self.test, implements });
    }

    fn define(&mut self, ident: &Ident) {
        self.definitions.push(Definition { scope: self.scope.clone(), name: ident.to_string() });
    }

    /// The leaves of a `use`, each as a path.
    fn read_tree(&mut self, tree: &UseTree, prefix: &[String], public: bool) {
        let with = |ident: &Ident| prefix.iter().cloned().chain([ident.to_string()]).collect::<Vec<_>>();
        let role = |name: String| if public { Role::Export(name) } else { Role::Import(name) };
        match tree {
            UseTree::Path(path) => self.read_tree(&path.tree, &with(&path.ident), public),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.read_tree(tree, prefix, public)),
            UseTree::Glob(glob) => {
                let segments = prefix.iter().cloned().chain(["*".to_owned()]).collect();
                self.push(glob.star_token.spans[0], segments, role("*".to_owned()));
            }
            UseTree::Name(name) if name.ident == "self" && !prefix.is_empty() => {
                self.push(name.ident.span(), prefix.to_vec(), role(prefix[prefix.len() - 1].clone()));
            }
            UseTree::Name(name) => self.push(name.ident.span(), with(&name.ident), role(name.ident.to_string())),
            UseTree::Rename(rename) => {
                let segments =
                    if rename.ident == "self" && !prefix.is_empty() { prefix.to_vec() } else { with(&rename.ident) };
                self.push(rename.ident.span(), segments, role(rename.rename.to_string()));
            }
        }
    }

    /// The paths in the words of a macro, which need not be Rust otherwise.
    fn read_macro(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is =
            |i: usize, mark: char| matches!(tokens.get(i), Some(TokenTree::Punct(punct)) if punct.as_char() == mark);
        let mut i = 0;
        while i < tokens.len() {
            match &tokens[i] {
                TokenTree::Group(group) => self.read_macro(group.stream()),
                // A field, a method or the class of an element.
                TokenTree::Ident(_) if i > 0 && is(i - 1, '.') => {}
                TokenTree::Ident(first) => {
                    let mut segments = vec![first.to_string()];
                    while is(i + 1, ':') && is(i + 2, ':') {
                        let Some(TokenTree::Ident(next)) = tokens.get(i + 3) else { break };
                        segments.push(next.to_string());
                        i += 3;
                    }
                    // `pub(crate)` names no item.
                    if segments != ["crate"] {
                        self.push(first.span(), segments, Role::Code);
                    }
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
            i += 1;
        }
    }
}

/// Whether something is compiled for tests alone.
fn for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| {
                list.tokens.clone().into_iter().next().is_some_and(|token| token.to_string() == "test")
            })
    })
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Const(item) => self.define(&item.ident),
            Item::Enum(item) => self.define(&item.ident),
            Item::Fn(item) => self.define(&item.sig.ident),
            Item::Static(item) => self.define(&item.ident),
            Item::Struct(item) => self.define(&item.ident),
            Item::Trait(item) => self.define(&item.ident),
            Item::Type(item) => self.define(&item.ident),
            Item::Union(item) => self.define(&item.ident),
            Item::Macro(item) => item.ident.iter().for_each(|ident| self.define(ident)),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if item.content.is_none() {
            return;
        }
        let outer = self.test;
        self.test |= for_tests(&item.attrs);
        self.scope.push(item.ident.to_string());
        self.inner += 1;
        self.inner_modules.push(self.scope.clone());
        visit::visit_item_mod(self, item);
        self.inner -= 1;
        self.scope.pop();
        self.test = outer;
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let implemented = item.trait_.as_ref().and_then(|(path, _)| path.segments.last());
        let outer = std::mem::replace(&mut self.implements, implemented.map(|segment| segment.ident.to_string()));
        visit::visit_item_impl(self, item);
        self.implements = outer;
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let outer = self.test;
        self.test |= for_tests(&item.attrs);
        self.read_tree(&item.tree, &[], !matches!(item.vis, Visibility::Inherited));
        self.test = outer;
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.push(path.segments[0].ident.span(), segments, Role::Code);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.visit_path(&call.path);
        self.read_macro(call.tokens.clone());
    }

    /// `pub(crate)` names no item.
    fn visit_vis_restricted(&mut self, _: &'ast VisRestricted) {}
}
