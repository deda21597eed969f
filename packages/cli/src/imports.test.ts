import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { findCycles, readSourceFiles } from '../../../scripts/source-files.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')

const LONGEST_CYCLE = 5

/** A package of this repository, or a top-level folder that uses several packages. */
const folders = [...readdirSync(join(ROOT, 'packages')).map((name) => join('packages', name)), 'e2e', 'bench']

const sourceFiles = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'))
    .map((name) => join(folder, name))

/** Lists the files that a file imports by a relative path. */
const relativeImports = (file: string): readonly string[] =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:\bfrom|\bimport|\bmock\()\s*\(?'(\.[^']+)'/g)].map(
    ([, path = '']) => join(dirname(file), path),
  )

it('allows imports from another package, test kits included, only through the exports of that package', () => {
  const around = folders.flatMap((folder) =>
    sourceFiles(folder).flatMap((file) =>
      relativeImports(file)
        .filter((path) => /^packages\/[^/]+\/src\//.test(path) && !path.startsWith(`${folder}/`))
        .map((path) => `${file} imports ${relative('packages', path)}`),
    ),
  )
  expect(around).toEqual([])
})

it('allows no import of the program or a worker thread, which start to run as soon as they are imported', () => {
  const started = folders.flatMap((folder) =>
    sourceFiles(folder).flatMap((file) =>
      relativeImports(file)
        .filter((path) => path === 'packages/cli/src/main.ts' || path.endsWith('/worker.ts'))
        .map((path) => `${file} imports ${path}`),
    ),
  )
  expect(started).toEqual([])
})

it('finds the relative imports of a file that has one', () => {
  expect(relativeImports('packages/cli/build/page.ts')).toEqual(['packages/cli/src/page/index.ts'])
})

it(`allows no more than ${LONGEST_CYCLE} files in an import cycle, type imports included`, () => {
  expect(findCycles(readSourceFiles()).filter((cycle) => cycle.length > LONGEST_CYCLE)).toEqual([])
})

it('finds import cycles through several files', () => {
  const files = {
    'a.ts': ['b.ts', 'd.ts'],
    'b.ts': ['c.ts'],
    'c.ts': ['a.ts'],
    'd.ts': ['e.ts'],
    'e.ts': [],
  }
  const graph = new Map(Object.entries(files).map(([path, imports]) => [path, { imports }]))
  expect(findCycles(graph)).toEqual([['a.ts', 'b.ts', 'c.ts']])
})
