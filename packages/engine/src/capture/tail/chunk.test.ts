import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { type ChunkLimits, readChunk } from './chunk.ts'
import { type Place, parsePlace, startPlace } from './file-position.ts'

const folder = mkdtempSync(join(tmpdir(), 'panoptes-chunk-'))
const file = join(folder, 'lines')
afterAll(() => rmSync(folder, { recursive: true }))

const limits: ChunkLimits = { chunk: 48, line: 120 }

/** Writes the parts one after the other and reads after each, as after a restart. */
async function readParts(parts: readonly Buffer[], within = limits) {
  writeFileSync(file, '')
  let place: Place = startPlace('f')
  const lines: unknown[] = []
  const tooLong: number[] = []
  const handle = await open(file, 'r')
  try {
    for (const part of parts) {
      appendFileSync(file, part)
      for (let atEnd = false; !atEnd; ) {
        const { size } = await handle.stat()
        const chunk = await readChunk(handle, place, size, within)
        if (chunk === 'moved') throw new Error('moved')
        lines.push(...chunk.lines)
        tooLong.push(...chunk.tooLong)
        place = parsePlace(JSON.stringify(chunk.next)) ?? startPlace('lost')
        atEnd = chunk.atEnd
      }
    }
  } finally {
    await handle.close()
  }
  return { lines, tooLong, place }
}

const line = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => text.replace(/[\r\n]/g, ' ')),
  fc.constantFrom('', '\r', '{"half": ', 'x'.repeat(119), 'x'.repeat(120), 'x'.repeat(121), 'ä'.repeat(200)),
)
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 })

function split(bytes: Buffer, at: readonly number[]): readonly Buffer[] {
  const places = [
    0,
    ...at.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b),
    bytes.length,
  ]
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}

describe('reading a growing file', () => {
  it('returns the same lines however the bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 20 }),
        fc.string({ maxLength: 5 }),
        cuts,
        async (texts, rest, at) => {
          const bytes = Buffer.from(texts.map((text) => `${text}\n`).join('') + rest.replace(/\n/g, ''))
          const whole = await readParts([bytes], { chunk: 1_000_000, line: limits.line })
          const parts = await readParts(split(bytes, at))
          expect(parts.lines).toEqual(whole.lines)
          expect(parts.tooLong).toEqual(whole.tooLong)
          expect(parts.lines).toEqual(
            texts
              .map((text, index) => ({ line: index + 1, text }))
              .filter(({ text }) => text.trim() !== '' && Buffer.byteLength(text) <= limits.line),
          )
        },
      ),
      { numRuns: 300 },
    )
  })

  it('detects that another file replaced the known one', async () => {
    const { place } = await readParts([Buffer.from('one\ntwo\n')])
    const handle = await open(file, 'r')
    writeFileSync(file, 'one\nTWO\nthree\n')
    expect(await readChunk(handle, place, 14, limits)).toBe('moved')
    writeFileSync(file, 'one\n')
    expect(await readChunk(handle, place, 4, limits)).toBe('moved')
    await handle.close()
  })
})
