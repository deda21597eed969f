import { generateNewEvents } from '@panoptes/engine/demo'
import { packLines, unpack } from '@panoptes/engine/testing/bus'
import type { Row } from './report.ts'
import { interleaved, round } from './statistics.ts'

/** Measures the size of bus messages with one event and with many. */
export async function packing(quick: boolean): Promise<readonly Row[]> {
  const lines = Array.from(generateNewEvents({ seed: 3, events: quick ? 2_000 : 20_000 }), (event) =>
    JSON.stringify(event),
  )
  const rows: Row[] = []
  for (const size of [1, 100, 1_000]) {
    const batches = Array.from({ length: lines.length / size }, (_, n) =>
      lines.slice(n * size, (n + 1) * size),
    )
    const messages = batches.flatMap((batch) => [...packLines(batch, 1_000_000)])
    const ms = await interleaved(quick ? 1 : 5, {
      pack: () => timed(() => batches.map((batch) => [...packLines(batch, 1_000_000)])),
      unpack: () => timed(() => messages.map(unpack)),
    })
    rows.push({
      'events of a message': size,
      'bytes/event': Math.round(messages.reduce((sum, { length }) => sum + length, 0) / lines.length),
      'not packed': Math.round(lines.reduce((sum, { length }) => sum + length, 0) / lines.length),
      'packing, µs/event': round((ms.pack * 1_000) / lines.length),
      'unpacking, µs/event': round((ms.unpack * 1_000) / lines.length),
    })
  }
  return rows
}

function timed(work: () => unknown): number {
  const start = performance.now()
  work()
  return performance.now() - start
}
