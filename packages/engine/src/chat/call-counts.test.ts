import { join } from 'node:path'
import type { NewEvent, StoredEvent } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { accountOfEvents } from '../outcomes/make/index.ts'
import { accountsOf, MAKING } from '../outcomes/make/make.test-kit.ts'
import { panoptesSource } from '../sources/panoptes/index.ts'
import { countersProjection } from '../store/projections/counters.ts'
import { agentsProjection, MemoryRows, toAgent } from '../store/projections/index.ts'
import { toolsProjection } from '../store/projections/tools.ts'
import { asking, type ChatLab, chatLab, value } from './chat.test-kit.ts'
import { createChatReporter } from './live-reporter.ts'
import { type ScriptedModel, startScriptedModel } from './runtimes/jarvis/scripted-model.test-kit.ts'
import { jarvisOn } from './runtimes/jarvis/simulated-jarvis.test-kit.ts'

let lab: ChatLab
let model: ScriptedModel
beforeAll(async () => {
  lab = await chatLab()
  model = await startScriptedModel()
})
afterAll(async () => {
  await lab.end()
  await model.close()
})

it('Live, Sessions, the Ledger and stats count the same calls and errors of a chat with a denied and an interrupted call', async () => {
  const told: NewEvent[] = []
  const hangs = Promise.withResolvers<never>()
  const data = {
    remember: async () => success('kept'),
    liveAgents: async () => success('nobody'),
    templates: async () => failure('io', 'The disk is gone.'),
    spending: () => hangs.promise,
  }
  const chat = lab.open([jarvisOn(model.url, { data })], {
    onRun: createChatReporter({ host: 'here', append: (events) => told.push(...events) }),
  })
  const { id } = value(await chat.create({}))
  const send = async (message: string) => {
    const { events } = value(await chat.chat(id, asking(message)))
    for await (const { event, data } of events(new AbortController().signal)) {
      if (event !== 'progress') continue
      if (data.kind === 'approval' && data.status === 'started')
        void chat.answer(id, data.request_id ?? '', 'deny')
      if (data.label === 'spending') await chat.cancel(id)
    }
  }
  const wants = (...names: readonly string[]) =>
    model.answer(({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? { text: 'Done.' }
        : {
            calls: names.map((name) => ({
              name,
              arguments: name === 'remember' ? '{"text":"It is so."}' : '{}',
            })),
          },
    )
  wants('remember', 'live_agents', 'templates', 'nowhere')
  await send('Do it.')
  wants('spending')
  await send('And what does it cost?')

  await vi.waitFor(() => expect(told.filter(({ event }) => event === 'agent_done')).toHaveLength(2))
  const stored = told.map((event, at) => ({ ...event, seq: at + 1 }) as StoredEvent)
  const agents = new MemoryRows(agentsProjection)
  const tools = new MemoryRows(toolsProjection)
  const counters = new MemoryRows(countersProjection)
  for (const event of stored) {
    agentsProjection.apply(agents, event)
    toolsProjection.apply(tools, event)
    countersProjection.apply(counters, event)
  }
  const calls = { remember: 1, live_agents: 1, templates: 1, nowhere: 1, spending: 1 }
  const errors = { templates: 1, nowhere: 1 }
  const counts = { calls, errors: 2 }

  const [live] = agents.entries().flatMap(([, row]) => toAgent(row) ?? [])
  expect({ calls: live?.tool_counts, errors: live?.errors }).toEqual(counts)
  const stats = tools.entries().map(([, row]) => row)
  expect(Object.fromEntries(stats.map((row) => [row.tool, row.calls]))).toEqual(calls)
  expect(Object.fromEntries(stats.flatMap((row) => (row.errors ? [[row.tool, row.errors]] : [])))).toEqual(
    errors,
  )
  expect(
    stats
      .filter(({ samples }) => samples > 0)
      .map(({ tool }) => tool)
      .sort(),
  ).toEqual(['live_agents', 'nowhere', 'templates'])
  expect(counters.entries()[0]?.[1]).toMatchObject({ tool_calls: 5, tool_errors: 2 })

  const of = { source: 'panoptes', session_id: id, events: stored, fingerprint: '', making: MAKING }
  const [byLog] = accountOfEvents(of).agents
  expect({ calls: byLog?.tool_stats, errors: byLog?.errors }).toEqual(counts)
  const [account] = await accountsOf(panoptesSource(join(lab.folder, 'ledger.db')))
  const [bySession] = account?.agents ?? []
  expect({ calls: bySession?.tool_stats, errors: bySession?.errors }).toEqual(counts)
})
