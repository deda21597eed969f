import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import type { Result } from '@panoptes/schema'
import { round } from './statistics.ts'

export type Row = Readonly<Record<string, string | number | null>>

interface Table {
  readonly title: string
  readonly rows: readonly Row[]
}

interface Assertion {
  readonly says: string
  readonly holds: boolean
  readonly measured: string
}

export interface Report {
  readonly name: string
  readonly tables: readonly Table[]
  /** The assertions about the results, and whether they hold. */
  readonly promises: readonly Assertion[]
}

/** Parses the options of every benchmark: `--quick` for small sizes, `--out FOLDER` for the results. */
export function options(): { readonly quick: boolean; readonly out: URL } {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, out: { type: 'string' } },
    allowPositionals: true,
  })
  const results = new URL('./results/', import.meta.url)
  return { quick: values.quick, out: values.out ? new URL(`file://${values.out}/`) : results }
}

export function publish(report: Report): void {
  const { quick, out } = options()
  for (const { title, rows } of report.tables) {
    console.log(`\n${title}`)
    console.table(rows)
  }
  for (const { says, holds, measured } of report.promises) {
    console.log(`${holds ? 'holds' : 'DOES NOT HOLD'}: ${says} (${measured})`)
  }
  const document = { ...report, quick, machine: machine(), date: new Date().toISOString().slice(0, 10) }
  mkdirSync(out, { recursive: true })
  const file = new URL(quick ? `${report.name}.quick.json` : `${report.name}.json`, out)
  writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`)
}

const machine = () => ({
  cores: cpus().length,
  model: cpus()[0]?.model ?? 'unknown',
  memory_gb: Math.round(totalmem() / 1_073_741_824),
  node: process.version,
  platform: process.platform,
  arch: process.arch,
})

/** Returns the parts of a benchmark that the command line names, or all of them. */
export function requestedParts<Name extends string>(parts: Readonly<Record<Name, unknown>>): readonly Name[] {
  const names = Object.keys(parts) as Name[]
  const requested = names.filter((name) => process.argv.slice(2).includes(name))
  return requested.length > 0 ? requested : names
}

/** The number of processes that wanted a core, averaged over the last minute. */
export const readLoad = (): number => round(loadavg()[0] ?? Number.NaN)

export function orThrow<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.message)
  return result.value
}
