import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Achievements, openAchievements } from '@panoptes/engine/achievements'
import { resolvePaths } from '@panoptes/engine/home'
import { openReview, type Review } from '@panoptes/engine/outcomes'
import { createForgetting, indexForgetter, openSessions, type Sessions } from '@panoptes/engine/sessions'
import { type EventStore, openSqliteStore } from '@panoptes/engine/store'
import { openTemplates, type Templates } from '@panoptes/engine/templates'
import { config, type RuntimeId, type StoredChatMessage } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../../result.test-kit.ts'
import { headOf } from './panoptes.test-kit.ts'

const MARKER = 'zyzzogeton'
const ONE = { source: 'panoptes', id: `chat-${MARKER}` }
const USAGE = { input: 100, output: 20, cache_read: 5, cache_write: 0, cache_write_1h: null, reasoning: 0 }
const READ = { name: 'read_file', input: { path: 'mast.md' }, output: 'The mast is of pine.', ok: true }

let home: string
let env: Readonly<Record<string, string>>
let store: EventStore
let sessions: Sessions
let count: number

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'panoptes-own-rooms-'))
  env = { HOME: home, PANOPTES_HOME: join(home, 'kept') }
  count = 0
  store = unwrap(await openSqliteStore(resolvePaths(env).store))
  sessions = unwrap(await openSessions({ file: resolvePaths(env).history, env, marked: store.annotations }))
  unwrap(await store.conversations.create(headOf(ONE.id, { title: 'Masts' })))
})
afterEach(async () => {
  await sessions.close()
  await store.close()
  rmSync(home, { recursive: true, force: true })
})

const message = (fields: Partial<StoredChatMessage>): StoredChatMessage => {
  count += 1
  return {
    id: `msg-${count}`,
    role: 'user',
    content: '',
    status: 'complete',
    runtime: null,
    model: null,
    attachments: [],
    files: [],
    ts: Date.now() - 60_000 + count * 1_000,
    ended_at: null,
    run_id: null,
    usage: null,
    cost_micro_usd: null,
    error: null,
    ...fields,
  }
}

/** Stores a question and its answer as a run does. */
async function talk(
  question: string,
  content: string,
  runtime: RuntimeId,
  more: Partial<StoredChatMessage> = {},
): Promise<StoredChatMessage> {
  const run_id = `run-${count}`
  const of = { conversation: ONE.id, run_id }
  const user = message({ content: question })
  const answer = message({ role: 'assistant', runtime, run_id, status: 'partial', model: 'claude-opus-4-8' })
  unwrap(await store.conversations.begin({ ...of, runtime, user, answer, files: [] }))
  const done: StoredChatMessage = { ...answer, content, status: 'complete', ended_at: answer.ts, ...more }
  unwrap(await store.conversations.end({ ...of, answer: done, events: '' }))
  return done
}

const inConversation = async () => {
  await talk(`what is the mast of the ${MARKER} made of?`, 'of pine', 'jarvis', {
    usage: USAGE,
    cost_micro_usd: 700,
    attachments: [
      { runtime: 'jarvis', kind: 'tools', data: [READ, { ...READ, input: { path: 'hull.md' } }] },
    ],
  })
  return talk('and the hull?', 'of oak', 'hermes', { usage: USAGE, cost_micro_usd: 900 })
}

const openAll = async () => {
  const forgotten = unwrap(await store.forgetting.forgotten())
  const paths = resolvePaths(env)
  const achievements = openAchievements({
    achievementStore: store.achievementStore,
    sessions,
    history: paths.history,
    forgotten,
    folder: paths.achievements,
    env,
    zone: 'UTC',
  })
  const review = unwrap(
    await openReview({ store, sessions, config: config.parse({}), paths, env, zone: 'UTC' }),
  )
  const templates = openTemplates({
    folder: paths.templates,
    hermesFolder: join(home, 'hermes-templates'),
    templateUses: store.templateUses,
    past: sessions,
    outcomes: async () => success(new Map()),
    experiment: config.parse({}).templates.experiment,
    own: config.parse({}).templates.tools,
    home,
  })
  return { achievements, review, templates }
}

describe('a conversation as a session', () => {
  let rooms: { achievements: Achievements; review: Review; templates: Templates }
  beforeEach(async () => {
    await inConversation()
    unwrap(await sessions.refresh())
    rooms = await openAll()
  })
  afterEach(async () => {
    await rooms.achievements.close()
    await rooms.review.close()
  })

  it('is listed, read, searched and recalled like any other session', async () => {
    const [session] = unwrap(await sessions.list({ limit: 5 }))
    expect(session).toMatchObject({ ...ONE, title: 'Masts', messages: 4, tool_calls: 2 })
    expect(session?.spent).toMatchObject({ input: 100, output: 20, cost_micro_usd: 700 })
    const { messages } = unwrap(await sessions.transcript({ ...ONE, from: 0, limit: 10 }))
    expect(messages.map(({ role, runtime }) => [role, runtime])).toEqual([
      ['user', undefined],
      ['assistant', 'jarvis'],
      ['user', undefined],
      ['assistant', 'hermes'],
    ])
    const [hit] = unwrap(await sessions.search({ text: MARKER, limit: 5 }))
    expect(hit).toMatchObject({ session_id: ONE.id, id: 'msg-1', snippet: expect.stringContaining(MARKER) })
    const recalled = unwrap(await sessions.recall(`tell me about the ${MARKER} mast`, { limit: 5 }))
    expect(recalled.found[0]).toMatchObject({ session_id: ONE.id, message_id: 'msg-1', role: 'user' })
  })

  it('is recalled except for the part that its reader still sees', async () => {
    const except = { source: 'panoptes', session_id: ONE.id }
    const about = async (since: number | null) =>
      unwrap(await sessions.recall(`${MARKER} mast`, { limit: 5, except: { ...except, since } })).found
    expect(await about(null)).toEqual([])
    expect(await about(0)).toEqual([])
    expect(await about(Date.now())).toHaveLength(1)
  })

  it('counts for achievements', async () => {
    unwrap(await rooms.achievements.get({ source: 'all' }, { wait: true }))
    const counted = unwrap(await rooms.achievements.aggregate({ source: 'all' }))
    expect(counted).toMatchObject({
      session_count: 1,
      total_tool_calls: 2,
      total_file_reads_searches: 2,
      max_messages_in_session: 4,
    })
  })

  it("is in the ledger with Jarvis's usage and nothing that is counted elsewhere", async () => {
    unwrap(await rooms.review.refresh())
    const costs = unwrap(await rooms.review.costs({ by: 'session', source: 'panoptes' }))
    expect(costs).toMatchObject([
      { name: `panoptes/${ONE.id}`, cost_micro_usd: 700, tokens_in: 100, tokens_out: 20 },
    ])
    const { agents } = unwrap(await rooms.review.agents({ limit: 5, all: true, source: 'panoptes' }))
    expect(
      agents.map((agent) => [agent.agent_id, agent.subagent_type, agent.parent_id, agent.model]).sort(),
    ).toEqual([
      ['hermes', 'hermes', 'main', 'claude-opus-4-8'],
      ['main', 'jarvis', null, 'claude-opus-4-8'],
    ])
    const took = new Map(agents.map((agent) => [agent.agent_id, [agent.tokens_in, agent.tool_use_count]]))
    expect([took.get('main'), took.get('hermes')]).toEqual([
      [100, 2],
      [null, 0],
    ])
  })

  it('is in the ledger with usage counted nowhere else, under the runtime that answered', async () => {
    await talk('and the sail?', 'of flax', 'acp:far', { usage: USAGE, is_counted_here: true })
    await talk('and the rope?', 'of hemp', 'jarvis', { usage: USAGE, cost_micro_usd: 300 })
    unwrap(await rooms.review.refresh())
    const { agents } = unwrap(await rooms.review.agents({ limit: 5, all: true, source: 'panoptes' }))
    const took = Object.fromEntries(agents.map((agent) => [agent.agent_id, agent]))
    expect(took).toMatchObject({
      main: { tokens_in: 200, cost_micro_usd: 1_000 },
      'acp:far': { subagent_type: 'acp:far', tokens_in: 100 },
      hermes: { tokens_in: null },
    })
  })

  it('becomes a template of its calls', async () => {
    const made = unwrap(
      await rooms.templates.create({ source: ONE.source, session_id: ONE.id, name: 'masts' }),
    )
    expect(made).toMatchObject({ calls: 2, template: { name: 'masts', source_session_id: ONE.id } })
    expect(made.template.examples.map(({ tool_name }) => tool_name)).toEqual(['read_file', 'read_file'])
  })

  it('disappears everywhere once it is forgotten, including the files', async () => {
    unwrap(await rooms.achievements.get({ source: 'all' }, { wait: true }))
    unwrap(await rooms.review.refresh())
    unwrap(await rooms.templates.create({ source: ONE.source, session_id: ONE.id, name: 'masts' }))
    const forget = createForgetting(store, [
      indexForgetter(sessions),
      async (refs) => {
        unwrap(await rooms.achievements.forget(refs))
        unwrap(await rooms.templates.forget(refs))
        unwrap(await rooms.review.forget(refs))
        return success([])
      },
    ])
    const { removed } = unwrap(await forget([ONE]))
    expect(removed).toContainEqual({ from: 'ledger', what: 'conversations', count: 1 })
    unwrap(await sessions.refresh())
    expect(unwrap(await sessions.list({ limit: 5 }))).toEqual([])
    expect(unwrap(await sessions.recall(`${MARKER} mast`, { limit: 5 })).found).toEqual([])
    expect(unwrap(await store.conversations.get(ONE.id))).toBeNull()
    expect(unwrap(await rooms.review.costs({ by: 'session', source: 'panoptes' }))).toEqual([])
    expect(unwrap(await rooms.templates.list()).templates).toEqual([])
    const folder = join(home, 'kept')
    const leftovers = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(MARKER))
    expect(leftovers.map(({ name }) => name)).toEqual([])
  })
})

it('reports a conversation when a message is added', async () => {
  unwrap(await sessions.refresh())
  sessions.follow()
  await talk('is it windy?', 'no', 'jarvis')
  await expect.poll(async () => unwrap(await sessions.search({ text: 'windy', limit: 1 })).length).toBe(1)
})

it('lists a fork as its own session and counts copied messages once', async () => {
  await inConversation()
  unwrap(
    await store.conversations.fork(
      ONE.id,
      'msg-2',
      headOf('chat-fork', { forked_from: { id: ONE.id, message_id: 'msg-2' } }),
    ),
  )
  unwrap(await sessions.refresh())
  const list = unwrap(await sessions.list({ limit: 5 }))
  expect(list.find(({ id }) => id === 'chat-fork')).toMatchObject({ parent_id: ONE.id, messages: 0 })
  expect(unwrap(await sessions.search({ text: MARKER, limit: 5 }))).toHaveLength(1)
})
