import { loadavg } from 'node:os'
import { preparePage } from '../e2e/setup/page.ts'
import { round } from './figures.ts'
import { streamPart } from './live-part-stream.ts'
import { framesPart, hooksPart, seekPart } from './live-parts.ts'
import { options, publish } from './report.ts'

const { quick } = options()
const PARTS = { stream: streamPart, hooks: hooksPart, frames: framesPart, seek: seekPart }
type Name = keyof typeof PARTS

/** All parts, or those named after the file. */
const all = Object.keys(PARTS) as Name[]
const asked = all.filter((name) => process.argv.slice(2).includes(name))
const reports = []
await preparePage()
for (const name of asked.length > 0 ? asked : all) {
  const [load = 0] = loadavg()
  const began = performance.now()
  const report = await PARTS[name](quick)
  console.log(
    `${name}: ${round((performance.now() - began) / 1_000)} s, load ${round(load)} before, ${round(loadavg()[0] ?? 0)} after`,
  )
  reports.push(report)
}
publish({
  name: 'live',
  tables: reports.flatMap(({ tables }) => tables),
  promises: reports.flatMap(({ promises }) => promises),
})
