import { randomUUID } from 'node:crypto'
import { openTranscripts, type Transcripts } from '@panoptes/engine/store'
import type { Message } from '@panoptes/schema'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { usePostgres } from '../../../../../e2e/setup/shared-servers.ts'
import {
  dropSchema,
  messageOf,
  SOURCE,
  sessionOf,
  textsOf,
  value,
} from '../../store/transcripts/transcripts.test-kit.ts'
import type { SessionRecord, SessionSource } from '../port.ts'
import { receiverOf } from './receiver.ts'
import type { Told } from './remembered.ts'
import { tell } from './tell.ts'

const url = usePostgres()
const schema = `growing_${randomUUID().replaceAll('-', '')}`
let transcripts: Transcripts

beforeAll(async () => {
  transcripts = value(await openTranscripts({ url, schema }))
})
afterAll(async () => {
  await transcripts.close()
  await dropSchema(url, schema)
})

const { signal } = new AbortController()
const MAIN = { id: 'main', parent_id: null, subagent_type: null, description: null, tool_use_id: null }

/** A session that is only here. */
const sourceOf = (id: string, texts: readonly string[]): SessionSource => ({
  name: SOURCE,
  async *list() {},
  async *read(): AsyncGenerator<SessionRecord> {
    yield { kind: 'agent', agent: MAIN }
    for (const text of texts) {
      const message: Message = messageOf(id, text, text)
      yield { kind: 'message', message }
    }
    yield { kind: 'session', session: sessionOf(id) }
  },
  watch: () => () => undefined,
})

const change = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.nat(6),
  added: fc.nat(6),
  /** Where the lines are parted, and after which part what happens. */
  parts: fc.array(fc.nat(8), { maxLength: 3 }),
  fate: fc.constantFrom('told', 'told', 'told', 'told twice', 'not answered', 'killed', 'killed at its end'),
})

it('reproduces a growing session through edits, lost answers and kills', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
      const id = randomUUID()
      const { send } = receiverOf(transcripts, 'mast')
      let texts: readonly string[] = []
      let there: readonly string[] | undefined
      let before: Told | undefined
      let made = 0
      const seen = async () => (there === undefined ? undefined : textsOf(transcripts, id))
      const told = async (parts: readonly number[], fate: string) => {
        const now: Told = { telling: randomUUID(), hashes: [] }
        const lines: string[] = []
        for await (const line of tell(sourceOf(id, texts), listed(id), { before, now }, signal))
          lines.push(line)
        const cuts = [
          ...parts.map((part) => Math.min(part, lines.length - 1)).sort((a, b) => a - b),
          lines.length,
        ]
        let from = 0
        for (const [n, to] of cuts.entries()) {
          const isLast = n === cuts.length - 1
          if (fate === 'killed' && isLast) return false
          const text = lines
            .slice(from, to)
            .map((line) => `${line}\n`)
            .join('')
          from = to
          const times = fate === 'told twice' || fate === 'not answered' ? 2 : 1
          for (let time = 0; time < times; time += 1)
            expect(value(await send(text, signal)).missed).toEqual([])
          if (!isLast) expect(await seen()).toEqual(there)
        }
        there = texts
        before = now
        return fate !== 'killed at its end'
      }
      for (const { at, removed, added, parts, fate } of changes) {
        const place = Math.round(at * texts.length)
        const fresh = Array.from({ length: added }, (_, n) => `${made + n}`)
        made += added
        texts = [...texts.slice(0, place), ...fresh, ...texts.slice(place + removed)]
        // Whoever was killed remembers nothing.
        if (!(await told(parts, fate))) before = undefined
        expect(await seen()).toEqual(there)
      }
      await told([], 'told')
      expect(await seen()).toEqual(texts)
    }),
    { numRuns: 25 },
  )
}, 240_000)

const listed = (id: string) => ({ id, fingerprint: '1', place: id })
