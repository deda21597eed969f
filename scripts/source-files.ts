import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { parseSync } from 'oxc-parser'

const ROOT = join(import.meta.dirname, '..')
const NOT_PRODUCTION = /\.(test|test-kit|child)\.|\/conformance\//

/** A production file of a package; paths are relative to the repository and use `/`. */
export interface SourceFile {
  readonly path: string
  readonly lines: number
  /** Returns every use of an identifier. It walks the whole syntax tree, which the imports do not need. */
  readonly names: () => readonly string[]
  /** The files of this repository that it imports or exports from, types included. */
  readonly imports: readonly string[]
}

interface Packages {
  /** Every source file of a package, tests included. */
  readonly paths: ReadonlySet<string>
  readonly byName: ReadonlyMap<
    string,
    { readonly folder: string; readonly exports: Readonly<Record<string, string>> }
  >
}

/** Parses the production files in the `src` folders of all packages. */
export function readSourceFiles(): ReadonlyMap<string, SourceFile> {
  const packages = listPackages()
  const production = [...packages.paths].filter((path) => !NOT_PRODUCTION.test(path))
  return new Map(production.map((path) => [path, readSourceFile(path, packages)]))
}

function listPackages(): Packages {
  const folders = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`)
  const paths = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => `${folder}/src/${name.split(sep).join('/')}`),
  )
  const byName = folders.map((folder) => {
    const { name, exports = {} } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
    return [name as string, { folder, exports: exports as Record<string, string> }] as const
  })
  return { paths: new Set(paths.sort()), byName: new Map(byName) }
}

/**
 * Finds the groups of files that import each other in a circle, directly or through others: Tarjan's strongly connected
 * components with more than one file.
 */
export function findCycles(files: ReadonlyMap<string, Pick<SourceFile, 'imports'>>): readonly string[][] {
  const order = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (path: string): number => {
    const index = order.size
    order.set(path, index)
    let lowest = index
    stack.push(path)
    for (const target of files.get(path)?.imports ?? []) {
      if (!order.has(target)) lowest = Math.min(lowest, visit(target))
      else if (stack.includes(target)) lowest = Math.min(lowest, order.get(target) ?? index)
    }
    if (lowest === index) {
      const cycle = stack.splice(stack.indexOf(path))
      if (cycle.length > 1) found.push(cycle.sort())
    }
    return lowest
  }
  for (const path of files.keys()) if (!order.has(path)) visit(path)
  return found
}

function readSourceFile(path: string, packages: Packages): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const parsed = parseSync(path, text)
  const { module, errors } = parsed
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.map(({ moduleRequest }) => moduleRequest?.value),
    ),
    ...module.dynamicImports.map(({ moduleRequest }) =>
      text.slice(moduleRequest.start + 1, moduleRequest.end - 1),
    ),
  ]
  const targets = specifiers.flatMap((specifier) =>
    specifier ? resolveImport(path, specifier, packages) : [],
  )
  return {
    path,
    lines: text.split('\n').length - 1,
    // The parser hands out the syntax tree only when it is asked for.
    names: () => readNames(parsed.program),
    imports: [...new Set(targets)],
  }
}

/** Returns the file of this repository that is imported, or none for a package from the registry. */
function resolveImport(from: string, specifier: string, packages: Packages): readonly string[] {
  if (specifier.startsWith('.')) {
    const target = relative(ROOT, join(ROOT, dirname(from), specifier))
    return packages.paths.has(target) ? [target] : []
  }
  const name = specifier.split('/').slice(0, 2).join('/')
  const found = packages.byName.get(name)
  if (!found) return []
  const entry = `.${specifier.slice(name.length)}`
  for (const [pattern, file] of Object.entries(found.exports)) {
    const [head = '', tail] = pattern.split('*')
    if (pattern === entry) return [join(found.folder, file)]
    if (tail !== undefined && entry.startsWith(head) && !found.exports[entry])
      return [join(found.folder, file.replace('*', entry.slice(head.length)))]
  }
  return []
}

/** Collects every use of an identifier. Keys that are sent or stored do not count: they are in quotes or in schemas. */
function readNames(program: unknown): readonly string[] {
  const found: string[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, name } = node as { type?: string; name?: unknown }
    if (
      (type === 'Identifier' || type === 'JSXIdentifier' || type === 'PrivateIdentifier') &&
      typeof name === 'string'
    )
      found.push(name)
    for (const value of Object.values(node)) visit(value)
  }
  visit(program)
  return found
}
