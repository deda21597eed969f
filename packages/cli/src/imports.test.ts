import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..', '..', '..')

/** A package of this repository, or a folder beside them that uses several. */
const folders = [...readdirSync(join(ROOT, 'packages')).map((name) => join('packages', name)), 'e2e', 'bench']

const sourceFiles = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'))
    .map((name) => join(folder, name))

/** Which modules a file imports by their places. */
const relativeImports = (file: string): readonly string[] =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:\bfrom|\bimport|\bmock\()\s*\(?'(\.[^']+)'/g)].map(
    ([, path = '']) => join(dirname(file), path),
  )

it('imports what another package has in src, test kits too, only through the exports of that package', () => {
  const around = folders.flatMap((folder) =>
    sourceFiles(folder).flatMap((file) =>
      relativeImports(file)
        .filter((path) => /^packages\/[^/]+\/src\//.test(path) && !path.startsWith(`${folder}/`))
        .map((path) => `${file} imports ${relative('packages', path)}`),
    ),
  )
  expect(around).toEqual([])
})

it('finds relative imports at all', () => {
  expect(relativeImports('packages/cli/build/page.ts')).toEqual(['packages/cli/src/page/index.ts'])
})
