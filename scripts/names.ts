import { execFileSync } from 'node:child_process'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { findCycles, readSourceFiles } from './source-files.ts'

/**
 * Measures how the code is named and laid out, so that neither drifts: `npm run names` prints the figures,
 * `npm run names -- --list` also the names and files behind them, `-- --since REV` looks at the commit subjects since REV.
 */
const { values } = parseArgs({ options: { list: { type: 'boolean' }, since: { type: 'string' } } })

/** Past participles say what happened to a thing instead of what it is. */
const PARTICIPLES = new Set(['told', 'said', 'asked', 'kept', 'known', 'given', 'met', 'owed', 'stated'])
const BUILT_IN = new Set(['indexOf', 'lastIndexOf', 'valueOf'])

const files = readSourceFiles()
const importers = Map.groupBy(
  [...files.values()].flatMap(({ path, imports }) => imports.map((target) => ({ path, target }))),
  ({ target }) => target,
)
const single = [...files.values()].filter(({ path }) => importers.get(path)?.length === 1)
const besideImporter = single.filter(
  ({ path }) => dirname(path) === dirname(importers.get(path)?.[0]?.path ?? ''),
)
const cycles = findCycles(files)
const names = [...files.values()].flatMap((file) => file.names())
const suffixed = countBy(names.filter((name) => /^[a-z]\w*[a-z]Of$/.test(name) && !BUILT_IN.has(name)))
const participles = countBy(names.filter((name) => splitWords(name).some((word) => PARTICIPLES.has(word))))
const lines = [...files.values()].map((file) => file.lines).sort((a, b) => a - b)

const figures: Record<string, number> = {
  'production files': files.size,
  'production lines': lines.reduce((sum, n) => sum + n, 0),
  'median lines of a file': lines[Math.floor(lines.length / 2)] ?? 0,
  'lines of the longest file': lines.at(-1) ?? 0,
  'files with exactly one importer': single.length,
  '… in the folder of that importer': besideImporter.length,
  '… and under 60 lines': besideImporter.filter((file) => file.lines < 60).length,
  'import cycles, type imports included': cycles.length,
  'files of the largest cycle': Math.max(0, ...cycles.map((cycle) => cycle.length)),
  'distinct names that end in Of': suffixed.size,
  'uses of participles as identifiers': [...participles.values()].reduce((sum, n) => sum + n, 0),
}
if (values.since)
  figures['characters of the longest commit subject'] = Math.max(
    0,
    ...commitSubjects(values.since).map((s) => s.length),
  )

const width = Math.max(...Object.keys(figures).map((label) => label.length))
for (const [label, value] of Object.entries(figures))
  console.log(`${label.padEnd(width)}  ${value.toLocaleString('en').padStart(8)}`)
if (values.list) {
  printCounts('Names that end in Of', suffixed)
  printCounts('Participles as names', participles)
  console.log('\nFiles with one importer in the same folder, under 60 lines')
  for (const { path, lines: n } of besideImporter.filter((file) => file.lines < 60))
    console.log(`  ${path} (${n})`)
  for (const cycle of cycles) console.log(`\nA cycle of ${cycle.length} files\n  ${cycle.join('\n  ')}`)
}

function splitWords(name: string): readonly string[] {
  return (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase())
}

function countBy(all: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const name of all) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Map([...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b)))
}

function commitSubjects(since: string): readonly string[] {
  const log = execFileSync('git', ['log', '--format=%s', `${since}..HEAD`], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  })
  return log.split('\n').filter((subject) => subject !== '')
}

function printCounts(title: string, counts: ReadonlyMap<string, number>): void {
  console.log(`\n${title}`)
  for (const [name, n] of counts) console.log(`  ${String(n).padStart(5)}  ${name}`)
}
