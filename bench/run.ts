import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const SUFFIX = '.bench.ts'

/** Runs all benchmarks, or the named ones, each in a separate process. Options are passed on. */
const folder = new URL('.', import.meta.url)
const all = readdirSync(folder)
  .filter((name) => name.endsWith(SUFFIX))
  .map((name) => name.slice(0, -SUFFIX.length))
const asked = process.argv.slice(2)
const names = asked.filter((word) => all.includes(word))
const flags = asked.filter((word) => !all.includes(word))
const unknown = flags.find((word, n) => !word.startsWith('-') && flags[n - 1] !== '--out')

if (unknown !== undefined) {
  console.error(`There is no benchmark "${unknown}". There are: ${all.join(', ')}.`)
  process.exit(2)
}

for (const name of names.length > 0 ? names : all) {
  console.log(`\n== ${name}`)
  const file = fileURLToPath(new URL(`${name}${SUFFIX}`, folder))
  const { status } = spawnSync(process.execPath, [file, ...flags], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
