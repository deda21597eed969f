import type { MoaRoom } from '@panoptes/engine/moa'
import {
  deletedPreset,
  listedPreset,
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
import { z } from 'zod'
import type { Kit } from '../kit.ts'
import { ownerOf } from '../owner.ts'
import { badInput, type Refusal, refusalOf } from '../problem.ts'
import { type Call, JSON_TYPE, json, NDJSON_TYPE, type Route, route } from '../route.ts'
import { runAnswer } from '../run-answer.ts'

/** Turns of several models, and the presets they are run by. */
export const moaRoutes = ({ options: { moaRoom }, people }: Kit): readonly Route[] => {
  if (moaRoom === undefined) return []
  const who: Who = ({ caller }) => ownerOf(people, caller)
  return [...turns(moaRoom, who), ...presets(moaRoom), ...runs(moaRoom, who)]
}

type Who = (call: Pick<Call, 'caller'>) => string | undefined

const answer = <T>(result: Result<T>): Response | Refusal =>
  result.ok ? json(result.value) : refusalOf(result)

const one = z.object({ id: z.string() })
const named = z.object({ name: z.string() })

const turns = (room: MoaRoom, who: Who): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/moa/turns',
    scope: 'full',
    summary: 'Turns of several models, the newest first: times, tokens, money and errors of every call.',
    query: turnsQuery,
    reply: { type: JSON_TYPE, schema: turnsReply },
    answer: async ({ query, caller }) => {
      const found = await room.turns(query, who({ caller }))
      return found.ok ? json({ total: found.value.total, turns: found.value.rows }) : refusalOf(found)
    },
  }),
  route({
    method: 'GET',
    path: '/api/moa/turns/:id',
    scope: 'full',
    summary: 'One turn, by its id or the beginning of it, with its texts where they were written down.',
    params: one,
    reply: { type: JSON_TYPE, schema: turnReply },
    answer: async ({ params, caller }) => answer(await room.turn(params.id, who({ caller }))),
  }),
  route({
    method: 'GET',
    path: '/api/moa/turns/:id/diff',
    scope: 'full',
    summary: 'What changed from a turn to its newest replay, or to the turn that is named.',
    params: one,
    query: turnDiffQuery,
    reply: { type: JSON_TYPE, schema: turnDiff },
    answer: async ({ params, query, caller }) =>
      answer(await room.diff(params.id, query.with, who({ caller }))),
  }),
  route({
    method: 'GET',
    path: '/api/moa/slots',
    scope: 'full',
    summary: 'How each model of a preset did over its last turns: times, failures and cost.',
    query: slotsQuery,
    reply: { type: JSON_TYPE, schema: slotsReply },
    answer: async ({ query }) => answer(await room.slots(query.preset, query.turns)),
  }),
  route({
    method: 'PUT',
    path: '/api/moa/traces',
    scope: 'full',
    main: true,
    summary:
      'Has turns written down whole from now on, or no longer; config.yaml says so, too, or the team, for all hubs.',
    body: tracesInput,
    reply: { type: JSON_TYPE, schema: tracesReply },
    answer: async ({ body, about }) => {
      about(body.save ? 'on' : 'off')
      const saved = await room.saveTraces(body.save)
      return saved.ok ? json({ save_traces: body.save }) : refusalOf(saved)
    },
  }),
]

const presets = (room: MoaRoom): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/moa/presets',
    scope: 'full',
    summary: 'The presets with what keeps them from working, and the providers; of keys only where they are.',
    reply: { type: JSON_TYPE, schema: presetsReply },
    answer: async () => json(await room.presets()),
  }),
  route({
    method: 'PUT',
    path: '/api/moa/presets/:name',
    scope: 'full',
    main: true,
    summary: 'Writes a preset into config.yaml, or into the team for all hubs; it holds for the next turn.',
    params: named,
    body: moaPresetInput,
    reply: { type: JSON_TYPE, schema: listedPreset },
    answer: async ({ params, body }) => {
      const put = await room.putPreset(params.name, body)
      if (!put.ok) return refusalOf(put)
      return put.value.ok ? json(put.value.value) : badInput('body', put.value.problems)
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/moa/presets/:name',
    scope: 'full',
    main: true,
    summary: 'Takes a preset out of config.yaml, or out of the team.',
    params: named,
    reply: { type: JSON_TYPE, schema: deletedPreset },
    answer: async ({ params: { name } }) => {
      const removed = await room.removePreset(name)
      return removed.ok ? json({ ok: true, name }) : refusalOf(removed)
    },
  }),
]

/** A question may be a long text. */
const MOST_ASKED = 16 * 1_048_576

const runs = (room: MoaRoom, who: Who): readonly Route[] => [
  route({
    method: 'POST',
    path: '/api/moa/run',
    scope: 'full',
    summary: 'Asks a preset, and tells line by line what happens. Hanging up stops every call.',
    body: moaRunInput,
    most: MOST_ASKED,
    reply: { type: NDJSON_TYPE, schema: moaRunPart },
    answer: ({ body, incoming, caller }) =>
      runAnswer(incoming, (signal) => room.run(body, signal, who({ caller }))),
  }),
  route({
    method: 'POST',
    path: '/api/moa/replay',
    scope: 'full',
    summary: 'Runs a turn that was written down again, with one thing changed, as POST /api/moa/run does.',
    body: replayInput,
    reply: { type: NDJSON_TYPE, schema: moaRunPart },
    answer: ({ body, incoming, about, caller }) => {
      about(body.turn)
      return runAnswer(incoming, (signal) => room.replay(body, signal, who({ caller })))
    },
  }),
]
