import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryPart, overheadPart, tracesPart } from './moa-parts.ts'
import { startGateway, startModels } from './moa-processes.ts'
import { options, publish, type Report, type Row, readLoad, requestedParts } from './report.ts'
import { round } from './statistics.ts'

const PARTS = { overhead: overheadPart, traces: tracesPart, memory: memoryPart }

/** Runs all parts, or those named on the command line. */
const names = requestedParts(PARTS)
const presets = {
  real: { references: [50, 120, 200, 300], acting: 150 },
  short: { references: [1, 2, 4, 8], acting: 2 },
}
const folder = mkdtempSync(join(tmpdir(), 'panoptes-bench-moa-'))
const models = await startModels()
const gateway = await startGateway(folder, models.address, presets)
const reports: Pick<Report, 'tables' | 'promises'>[] = []
const times: Row[] = []
try {
  const { quick } = options()
  for (const name of names) {
    const before = readLoad()
    const began = performance.now()
    reports.push(await PARTS[name]({ gateway, models, presets, quick }))
    const seconds = round((performance.now() - began) / 1_000)
    times.push({ part: name, seconds, 'load before': before, after: readLoad() })
  }
} finally {
  await gateway.stop()
  await models.stop()
  rmSync(folder, { recursive: true, force: true })
}
publish({
  name: 'moa',
  tables: [
    ...reports.flatMap(({ tables }) => tables),
    { title: 'How busy the machine was, with all that ran on it', rows: times },
  ],
  promises: reports.flatMap(({ promises }) => promises),
})
