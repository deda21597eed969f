import { setTimeout as wait } from 'node:timers/promises'
import { success } from '@panoptes/schema/result'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { value } from '../conformance-environment.ts'
import { ask, endOf, type JarvisLab, openJarvisLab, progressIn, SOON_MS } from './lab.test-kit.ts'
import { silent } from './mcp/server.test-kit.ts'
import type { ModelRequest } from './scripted-model.test-kit.ts'

let lab: JarvisLab
beforeAll(async () => {
  lab = await openJarvisLab()
})
afterAll(() => lab.close())
beforeEach(() => void lab.model.requests.splice(0))

const toolResults = (request: ModelRequest | undefined) =>
  (request?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => String(content))
const search = (text: string) => ({ name: 'search_sessions', arguments: JSON.stringify({ text }) })

describe('tool loop', () => {
  it('runs the calls of a reply in parallel and returns each result to the model as data', async () => {
    let running = 0
    let atOnce = 0
    const chat = lab.open({
      data: {
        searchSessions: async ({ text }) => {
          running += 1
          atOnce = Math.max(atOnce, running)
          await wait(text === 'slow' ? 60 : 20)
          running -= 1
          return success([{ found: text }])
        },
      },
    })
    lab.plays({ text: 'Let me look.', calls: [search('slow'), search('quick')] }, { text: 'There it is.' })
    const { text, events, id } = await ask(chat, 'Look for it.')
    expect(text).toBe('Let me look.\n\nThere it is.')
    expect(atOnce).toBe(2)
    const results = toolResults(lab.model.requests[1])
    expect(results[0]).toMatch(/^<data-(\w+) kind="result of search_sessions">.*"slow".*<\/data-\1>$/s)
    expect(results[1]).toContain('"quick"')
    const tools = progressIn(events, 'tool')
    expect(tools.filter(({ status }) => status === 'completed')).toHaveLength(2)
    expect(new Set(tools.map(({ node_id }) => node_id)).size).toBe(2)
    expect(value(await chat.get(id)).messages.at(-1)?.attachments).toMatchObject([
      {
        runtime: 'jarvis',
        kind: 'tools',
        data: [
          { name: 'search_sessions', input: { text: 'slow' }, ok: true },
          { name: 'search_sessions', input: { text: 'quick' }, ok: true },
        ],
      },
    ])
  })

  it('answers invalid calls with what is wrong and continues', async () => {
    const chat = lab.open({ data: { searchSessions: async () => success('found') } })
    lab.plays(
      {
        calls: [
          { id: 'a', name: 'search_sessions', arguments: '{"text": "x' },
          { id: 'b', name: 'search_sessions', arguments: '["x"]' },
          { id: 'c', name: 'search_sessions', arguments: '{"text": 5, "limit": 900}' },
          { id: 'd', name: 'rm_rf', arguments: '{}' },
          { id: 'e', arguments: '{}' },
          { id: 'f', ...search('fine') },
        ],
      },
      { text: 'Well.' },
    )
    const { text, events } = await ask(chat, 'Go.')
    expect(text).toBe('Well.')
    const results = toolResults(lab.model.requests[1])
    expect(results.slice(0, 2)).toEqual(Array(2).fill('Error: The arguments are not a JSON object.'))
    expect(results[2]).toMatch(/^Error: text: .*; limit: /)
    expect(results[3]).toBe('Error: There is no tool with this name. Available: search_sessions.')
    expect(results[4]).toContain('There is no tool with this name')
    expect(results[5]).toContain('found')
    // Every provider must accept the messages that go back to the model.
    const sent = lab.model.requests[1]?.messages.find(({ tool_calls }) => tool_calls)
    const calls = sent?.tool_calls as { function: { name: string; arguments: string } }[] | undefined
    expect(calls).toHaveLength(6)
    for (const { function: called } of calls ?? []) {
      expect(called.name).not.toBe('')
      expect(() => JSON.parse(called.arguments)).not.toThrow()
    }
    expect(progressIn(events, 'tool').filter(({ status }) => status === 'failed')).toHaveLength(5)
  })

  it('gives each call a unique id if a model omits or repeats ids', async () => {
    const chat = lab.open({ data: { searchSessions: async () => success('found') } })
    lab.plays(
      {
        calls: [
          { id: '', ...search('a') },
          { id: 'same', ...search('b') },
          { id: 'same', ...search('c') },
        ],
      },
      { text: 'Well.' },
    )
    await ask(chat, 'Go.')
    const ids = lab.model.requests[1]?.messages.flatMap(({ tool_call_id }) => tool_call_id ?? []) ?? []
    expect(ids).toHaveLength(3)
    expect(new Set(ids).size).toBe(3)
  })

  it('tells the model that a tool failed or crashed and continues', async () => {
    const chat = lab.open({
      data: {
        searchSessions: async () => {
          throw new Error('the index is gone')
        },
        liveAgents: async () => ({ ok: false, code: 'io', message: 'nobody knows' }),
      },
    })
    lab.plays({ calls: [search('x'), { name: 'live_agents' }] }, { text: 'So be it.' })
    expect((await ask(chat, 'Go.')).text).toBe('So be it.')
    expect(toolResults(lab.model.requests[1])).toEqual(['Error: the index is gone', 'Error: nobody knows'])
  })

  it('ends at a limit if the model never stops, and says that it was cut', async () => {
    const chat = lab.open({ data: { searchSessions: async () => success('found') } })
    lab.plays({ calls: [search('again')] })
    const { events, id } = await ask(chat, 'Go.')
    expect(lab.model.requests).toHaveLength(40)
    expect(lab.model.requests.at(-1)?.tool_choice).toBe('none')
    expect(lab.model.requests.at(-2)?.tool_choice).toBeUndefined()
    expect(endOf(events)).toMatchObject({ outcome: 'length' })
    expect(value(await chat.get(id)).messages.at(-1)).toMatchObject({ status: 'partial' })
  })

  it('reports an answer that was cut by its length limit', async () => {
    const chat = lab.open()
    lab.plays({ text: 'Half of', finish: 'length' })
    const { events, text } = await ask(chat, 'Go.')
    expect(text).toBe('Half of')
    expect(endOf(events)).toMatchObject({ outcome: 'length' })
  })

  it('bounds what the model gets and what is shown', async () => {
    const chat = lab.open({ data: { searchSessions: async () => success('y'.repeat(300_000)) } })
    lab.plays({ calls: [search('z'.repeat(900))] }, { text: 'Much.' })
    const { events } = await ask(chat, 'Go.')
    expect(toolResults(lab.model.requests[1])[0]?.length).toBeLessThan(51_000)
    for (const event of progressIn(events, 'tool')) expect(JSON.stringify(event).length).toBeLessThan(8_000)
  })

  it('adds up the usage of all calls', async () => {
    const chat = lab.open({ data: { searchSessions: async () => success('found') } })
    lab.plays({ calls: [search('a')] }, { calls: [search('b')] }, { text: 'Done.' })
    const { events, id } = await ask(chat, 'Go.')
    const sum = { usage: { input: 30, output: 15 }, cost_micro_usd: 60 }
    expect(endOf(events)).toMatchObject({ usage: sum.usage, cost: { usd: 0.00006, status: 'known' } })
    expect(value(await chat.get(id)).messages.at(-1)).toMatchObject(sum)
    expect(progressIn(events, 'usage')).toHaveLength(3)
  })

  it('has an unknown cost if one call does not report its usage', async () => {
    const chat = lab.open({ data: { searchSessions: async () => success('found') } })
    lab.plays({ calls: [search('a')], usage: null }, { text: 'Done.' })
    const { events } = await ask(chat, 'Go.')
    expect(endOf(events)).toMatchObject({
      usage: { input: 10, output: 5 },
      cost: { usd: null, status: 'unknown' },
    })
  })

  it('counts the usage of a failed run', async () => {
    const chat = lab.open({ data: { searchSessions: async () => success('found') } })
    lab.plays({ calls: [search('a')] }, { status: 500 })
    const { id } = await ask(chat, 'Go.')
    expect(value(await chat.get(id)).messages.at(-1)).toMatchObject({
      status: 'failed',
      usage: { input: 10, output: 5 },
    })
  })

  it('retries without tools if a model does not support them, and remembers it', async () => {
    const chat = lab.open({ data: { searchSessions: async () => success('found') } })
    lab.model.answer(({ tools }) =>
      tools ? { status: 400, message: 'm does not support tools' } : { text: 'Without.' },
    )
    const { text, id } = await ask(chat, 'Go.')
    expect(text).toBe('Without.')
    expect(lab.model.requests).toHaveLength(2)
    await ask(chat, 'Again.', { id })
    expect(lab.model.requests).toHaveLength(3)
  })

  it('keeps thoughts out of the answer if a model thinks aloud', async () => {
    const chat = lab.open()
    lab.plays({ text: '<think>Two and two.</think>\n\nFour.', pieces: 12 })
    const { text, events } = await ask(chat, 'Go.')
    expect(text).toBe('Four.')
    expect(
      progressIn(events, 'reasoning')
        .map(({ detail }) => (detail as { delta?: string })?.delta ?? '')
        .join(''),
    ).toBe('Two and two.')
  })

  it('reports a limited amount of thoughts per run', async () => {
    const chat = lab.open({ data: { searchSessions: async () => success('found') } })
    lab.plays(
      { think: 'h'.repeat(150_000), calls: [search('a')] },
      { think: 'm'.repeat(150_000), text: 'So.' },
    )
    const { events, text } = await ask(chat, 'Go.')
    expect(text).toBe('So.')
    const told = progressIn(events, 'reasoning').map(
      ({ detail }) => (detail as { delta?: string })?.delta ?? '',
    )
    expect(told.join('')).toHaveLength(200_000)
  })

  it('stops at once while a tool runs', async () => {
    const begun = Promise.withResolvers<AbortSignal>()
    const chat = lab.open({
      data: {
        searchSessions: (_input, { signal }) => {
          begun.resolve(signal)
          return new Promise(() => {})
        },
      },
    })
    lab.plays({ calls: [search('x')] })
    const id = value(await chat.create({})).id
    const run = ask(chat, 'Go.', { id })
    const signal = await begun.promise
    const began = performance.now()
    value(await chat.cancel(id))
    expect(performance.now() - began).toBeLessThan(SOON_MS)
    expect(signal.aborted).toBe(true)
    expect(endOf((await run).events)).toMatchObject({ outcome: 'cancelled' })
    expect(lab.model.requests).toHaveLength(1)
  })
})

describe('stopping Jarvis', () => {
  it('ends at once while an MCP server is starting', async () => {
    const chat = lab.open({ mcp: { silent: silent() } })
    const id = value(await chat.create({})).id
    const run = ask(chat, 'Go.', { id })
    await expect.poll(async () => value(await chat.get(id)).run_id).not.toBeNull()
    await wait(300)
    const began = performance.now()
    value(await chat.cancel(id))
    expect(performance.now() - began).toBeLessThan(SOON_MS)
    expect(endOf((await run).events)).toMatchObject({ outcome: 'cancelled' })
    expect(lab.model.requests).toEqual([])
  })
})

afterEach(() => void lab.model.answer(() => ({ text: 'ok' })))
