import {
  check,
  type ListedPreset,
  type MoaPreset,
  type MoaRunPart,
  type MoaTurn,
  moaPresetInput,
  type PresetsReply,
  type TurnDiff,
  type TurnReply,
} from '@panoptes/schema'
import type { FakeRequest, FakeServer } from '../testing/fake-server.ts'
import { presetsReply, slotsReply, turnReply } from './moa.test-kit.ts'

interface FakeMoa {
  /** Newest first. */
  readonly turns?: readonly MoaTurn[]
  /** The replies for opened turns; any other turn gets a reply with text. */
  readonly replies?: readonly TurnReply[]
  readonly presets?: PresetsReply
}

/** Serves everything the MoA page requests and stores changes to presets and the recording switch. */
export function answerMoa(server: FakeServer, { turns = [], replies = [], presets }: FakeMoa = {}): void {
  let kept = presets ?? presetsReply()
  const nameIn = ({ path }: FakeRequest): string => decodeURIComponent(path.split('/').at(-1) ?? '')
  const put = (name: string, preset: MoaPreset): ListedPreset => {
    const listed: ListedPreset = { name, preset, from: 'config', problems: [] }
    kept = { ...kept, presets: [...kept.presets.filter((one) => one.name !== name), listed] }
    return listed
  }
  server
    .on('GET /api/moa/turns', ({ query }) => listTurns(turns, query))
    .on('GET /api/moa/turns/:id', (request) => {
      const id = nameIn(request)
      const turn = turns.find((one) => one.id === id)
      const reply = replies.find((one) => one.turn.id === id) ?? (turn && turnReply(turn))
      return reply ?? Response.json({ detail: `There is no turn ${id}.` }, { status: 404 })
    })
    .on('GET /api/moa/slots', slotsReply())
    .on('GET /api/moa/presets', () => kept)
    .on('PUT /api/moa/presets/:name', (request) => {
      const checked = check(moaPresetInput, request.body)
      if (checked.ok) return put(nameIn(request), checked.value)
      const detail = 'The body is invalid.'
      return Response.json({ code: 'invalid', detail, problems: checked.problems }, { status: 400 })
    })
    .on('DELETE /api/moa/presets/:name', (request) => {
      const name = nameIn(request)
      kept = { ...kept, presets: kept.presets.filter((one) => one.name !== name) }
      return { ok: true, name }
    })
    .on('PUT /api/moa/traces', ({ body }) => {
      const { save } = body as { readonly save: boolean }
      kept = { ...kept, save_traces: save }
      return { save_traces: save }
    })
}

function listTurns(turns: readonly MoaTurn[], query: URLSearchParams) {
  const isAsked = (name: string, value: string) => !query.has(name) || query.get(name) === value
  const since = Number(query.get('since') ?? 0)
  const until = Number(query.get('until') ?? Number.POSITIVE_INFINITY)
  const found = turns.filter(
    ({ preset, session_id, started_at }) =>
      isAsked('preset', preset) &&
      isAsked('session', session_id) &&
      started_at >= since &&
      started_at < until,
  )
  const offset = Number(query.get('offset') ?? 0)
  return { total: found.length, turns: found.slice(offset, offset + Number(query.get('limit') ?? 50)) }
}

/** A run whose events the test sends. Closing the request aborts it, as on the real server. */
export function fakeRun() {
  const encoder = new TextEncoder()
  const asked = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>()
  let hasLeft = false
  return {
    answer: ({ signal }: FakeRequest): Response => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          asked.resolve(controller)
          signal.addEventListener('abort', () => {
            hasLeft = true
            controller.error(signal.reason)
          })
        },
      })
      return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } })
    },
    /** Waits until the page has sent the request; the page shows the run as running before that. */
    send: async (...parts: readonly MoaRunPart[]): Promise<void> => {
      const sink = await asked.promise
      for (const part of parts) sink.enqueue(encoder.encode(`${JSON.stringify(part)}\n`))
    },
    /** A page that has the whole answer may have closed the request already. */
    end: async (): Promise<void> => {
      const sink = await asked.promise
      if (!hasLeft) sink.close()
    },
    /** Whether the page closed the request. */
    hasLeft: (): boolean => hasLeft,
  }
}

/** The events of a running turn up to its answer. */
export const runParts = (turn: MoaTurn, text: string): readonly MoaRunPart[] => {
  const labels = turn.slots.filter(({ role }) => role === 'reference').map(({ label }) => label)
  return [
    { type: 'asking', turn_id: turn.id, references: labels.map((label) => ({ label })) },
    ...labels.map(
      (label, at): MoaRunPart => ({
        type: 'progress',
        refs_done: at + 1,
        refs_total: labels.length,
        label,
        at,
        error: null,
      }),
    ),
    { type: 'aggregating', aggregator: 'claude:claude-opus-4-8', ref_count: labels.length },
    { type: 'text', text },
    { type: 'end', turn, text },
  ]
}

/** Compares a turn with a replay without its first reference. */
export const turnDiff = (before: MoaTurn, after: MoaTurn): TurnDiff => ({
  before,
  after,
  references: before.slots
    .filter(({ role }) => role === 'reference')
    .map((slot, place) => ({
      label: slot.label,
      change: place === 0 ? 'removed' : 'same',
      before: slot,
      after: place === 0 ? null : slot,
      text: null,
    })),
  aggregator: { before: 'claude:claude-opus-4-8', after: 'claude:claude-opus-4-8' },
  error: { before: null, after: null },
  guidance: null,
  answer: [
    { type: 'removed', text: 'Wait' },
    { type: 'added', text: 'Go ahead' },
    { type: 'same', text: ', nothing reads it.' },
  ],
  tokens: { before: null, after: null },
  cost_micro_usd: { before: 224_000, after: 143_000 },
  cost_unknown: { before: 0, after: 0 },
  duration_ms: { before: 9_400, after: 7_100 },
})
