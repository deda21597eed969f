import type { IncomingMessage } from 'node:http'
import type { MoaService } from '@panoptes/engine/moa'
import {
  deletedPreset,
  listedPreset,
  type MoaRunPart,
  moaPresetInput,
  moaRunInput,
  moaRunPart,
  presetsReply,
  type Result,
  replayInput,
  slotsQuery,
  slotsReply,
  tracesInput,
  tracesReply,
  turnDiff,
  turnDiffQuery,
  turnReply,
  turnsQuery,
  turnsReply,
} from '@panoptes/schema'
import type { AppContext } from '../app-context.ts'
import { findOwner } from '../authenticate.ts'
import { backpressureResponse } from '../backpressure-stream.ts'
import { badInput, toRefusal } from '../problem.ts'
import {
  type Call,
  idParams,
  JSON_TYPE,
  json,
  jsonReply,
  NDJSON_TYPE,
  nameParams,
  type Reply,
  type Route,
  route,
} from '../route.ts'

/** Turns of several models, and the presets that they run with. */
export const moaRoutes = ({ options: { moaService }, people }: AppContext): readonly Route[] => {
  if (moaService === undefined) return []
  const findCallerOwner: FindOwner = ({ caller }) => findOwner(people, caller)
  return [
    ...turnRoutes(moaService, findCallerOwner),
    ...presetRoutes(moaService),
    ...runRoutes(moaService, findCallerOwner),
  ]
}

type FindOwner = (call: Pick<Call, 'caller'>) => string | undefined

const turnRoutes = (service: MoaService, who: FindOwner): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/moa/turns',
    scope: 'full',
    summary: 'Turns of presets, newest first, with time, tokens, cost and errors of every call.',
    query: turnsQuery,
    reply: { type: JSON_TYPE, schema: turnsReply },
    answer: async ({ query, caller }) => {
      const found = await service.turns(query, who({ caller }))
      return found.ok ? json({ total: found.value.total, turns: found.value.rows }) : toRefusal(found)
    },
  }),
  route({
    method: 'GET',
    path: '/api/moa/turns/:id',
    scope: 'full',
    summary: 'One turn by its id or id prefix, with its texts if its trace was saved.',
    params: idParams,
    reply: { type: JSON_TYPE, schema: turnReply },
    answer: async ({ params, caller }) => jsonReply(await service.turn(params.id, who({ caller }))),
  }),
  route({
    method: 'GET',
    path: '/api/moa/turns/:id/diff',
    scope: 'full',
    summary: 'Differences between a turn and its newest replay, or the turn given by `with`.',
    params: idParams,
    query: turnDiffQuery,
    reply: { type: JSON_TYPE, schema: turnDiff },
    answer: async ({ params, query, caller }) =>
      jsonReply(await service.diff(params.id, query.with, who({ caller }))),
  }),
  route({
    method: 'GET',
    path: '/api/moa/slots',
    scope: 'full',
    summary: 'Time, failures and cost of each model of a preset over its last turns.',
    query: slotsQuery,
    reply: { type: JSON_TYPE, schema: slotsReply },
    answer: async ({ query }) => jsonReply(await service.slots(query.preset, query.turns)),
  }),
  route({
    method: 'PUT',
    path: '/api/moa/traces',
    scope: 'full',
    main: true,
    summary:
      'Turn the saving of traces on or off. Panoptes stores the setting in config.yaml or, in a team, for all hubs.',
    body: tracesInput,
    reply: { type: JSON_TYPE, schema: tracesReply },
    answer: async ({ body, setTarget }) => {
      setTarget(body.save ? 'on' : 'off')
      const saved = await service.saveTraces(body.save)
      return saved.ok ? json({ save_traces: body.save }) : toRefusal(saved)
    },
  }),
]

const presetRoutes = (service: MoaService): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/moa/presets',
    scope: 'full',
    summary:
      'Presets with their problems, and providers. Names where each API key comes from, never the key.',
    reply: { type: JSON_TYPE, schema: presetsReply },
    answer: async () => json(await service.presets()),
  }),
  route({
    method: 'PUT',
    path: '/api/moa/presets/:name',
    scope: 'full',
    main: true,
    summary: 'Save a preset to config.yaml or, in a team, for all hubs. It applies from the next turn on.',
    params: nameParams,
    body: moaPresetInput,
    reply: { type: JSON_TYPE, schema: listedPreset },
    answer: async ({ params, body }) => {
      const put = await service.putPreset(params.name, body)
      if (!put.ok) return toRefusal(put)
      return put.value.ok ? json(put.value.value) : badInput('body', put.value.problems)
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/moa/presets/:name',
    scope: 'full',
    main: true,
    summary: 'Delete a preset from config.yaml or, in a team, from all hubs.',
    params: nameParams,
    reply: { type: JSON_TYPE, schema: deletedPreset },
    answer: async ({ params: { name } }) => {
      const removed = await service.removePreset(name)
      return removed.ok ? json({ ok: true, name }) : toRefusal(removed)
    },
  }),
]

/** A request may contain a long text. */
const MOST_REQUEST_BYTES = 16 * 1_048_576

const runRoutes = (service: MoaService, who: FindOwner): readonly Route[] => [
  route({
    method: 'POST',
    path: '/api/moa/run',
    scope: 'full',
    summary: 'Run a preset and report its progress line by line. Disconnecting stops every call.',
    body: moaRunInput,
    most: MOST_REQUEST_BYTES,
    reply: { type: NDJSON_TYPE, schema: moaRunPart },
    answer: ({ body, incoming, caller }) =>
      streamRun(incoming, (signal) => service.run(body, signal, who({ caller }))),
  }),
  route({
    method: 'POST',
    path: '/api/moa/replay',
    scope: 'full',
    summary: 'Replay a saved turn with one change. The response is that of POST /api/moa/run.',
    body: replayInput,
    reply: { type: NDJSON_TYPE, schema: moaRunPart },
    answer: ({ body, incoming, setTarget, caller }) => {
      setTarget(body.turn)
      return streamRun(incoming, (signal) => service.replay(body, signal, who({ caller })))
    },
  }),
]

type StartedRun = Result<AsyncIterable<MoaRunPart>>

/** Streams a turn as lines of JSON. Disconnecting aborts every call; their usage until then is recorded. */
async function streamRun(
  { socket }: IncomingMessage,
  begin: (signal: AbortSignal) => StartedRun | Promise<StartedRun>,
): Promise<Reply> {
  const stop = new AbortController()
  const leave = () => stop.abort()
  socket.once('close', leave)
  if (socket.destroyed) leave()
  const started = await begin(stop.signal)
  if (!started.ok) {
    socket.off('close', leave)
    return toRefusal(started)
  }
  return backpressureResponse({ stop, headers: { 'content-type': NDJSON_TYPE } }, async (write) => {
    try {
      // The parts are read to their end even after the client left, so that their usage is recorded.
      for await (const part of started.value) await write(`${JSON.stringify(part)}\n`)
    } finally {
      socket.off('close', leave)
    }
  })
}
