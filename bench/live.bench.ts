import preparePage from '../e2e/setup/page.ts'
import { streamPart } from './live-part-stream.ts'
import { framesPart, hooksPart, type Part, seekPart } from './live-parts.ts'
import { options, publish, type Row, readLoad, requestedParts } from './report.ts'
import { round } from './statistics.ts'

const PARTS = { stream: streamPart, hooks: hooksPart, frames: framesPart, seek: seekPart }
type Name = keyof typeof PARTS

/** Runs all parts, or those named on the command line. */
const names = requestedParts(PARTS)
const reports: Part[] = []
const times: Row[] = []

await preparePage()
for (const part of names) {
  const before = readLoad()
  const began = performance.now()
  reports.push(await PARTS[part](options().quick).catch((error: unknown) => broken(part, error)))
  times.push({
    part,
    seconds: round((performance.now() - began) / 1_000),
    'load before': before,
    after: readLoad(),
  })
}
publish({
  name: 'live',
  tables: [
    ...reports.flatMap(({ tables }) => tables),
    { title: 'How busy the machine was, with all that ran on it', rows: times },
  ],
  promises: reports.flatMap(({ promises }) => promises),
})

/** Reports a part that failed, so that the other parts continue. Its assertion counts as failed. */
function broken(part: Name, error: unknown): Part {
  const measured = error instanceof Error ? error.message : String(error)
  process.exitCode = 1
  return { tables: [], promises: [{ says: `${part} can be measured`, holds: false, measured }] }
}
