import { success } from '@panoptes/schema/result'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { value } from '../../conformance-environment.ts'
import { ask, type JarvisLab, openJarvisLab, progressIn } from '../lab.test-kit.ts'
import { overStdio } from '../mcp/server.test-kit.ts'

let lab: JarvisLab
beforeAll(async () => {
  lab = await openJarvisLab()
})
afterAll(() => lab.close())
beforeEach(() => void lab.model.requests.splice(0))

/** The model makes these calls in its first reply and then reports the result. */
const wants = (...calls: readonly { name: string; arguments: string }[]) =>
  lab.model.answer(({ messages }) => {
    const last = messages.at(-1)
    return last?.role === 'tool' ? { text: `${last.content}` } : { calls }
  })
const remembering = () => {
  const facts: string[] = []
  return {
    facts,
    data: {
      remember: async ({ text }: { text: string }) => {
        facts.push(text)
        return success('kept')
      },
    },
  }
}
const fact = { name: 'remember', arguments: '{"text":"It is so."}' }
const echo = { name: 'kit__echo', arguments: '{"text":"hello"}' }

describe('approval of a tool call', () => {
  it('is requested with the input and how long it may last', async () => {
    wants(fact)
    const { data } = remembering()
    const { events } = await ask(lab.open({ data }), 'Do it.', { choice: 'once' })
    const [asked] = progressIn(events, 'approval')
    expect(asked).toMatchObject({
      label: 'Run remember',
      choices: ['once', 'session', 'always', 'deny'],
      detail: { tool: 'remember', input: { text: 'It is so.' } },
    })
    expect(progressIn(events, 'tool').map(({ node_id }) => node_id)).toContain(asked?.parent_id)
  })

  it('for the session is valid in its conversation only', async () => {
    wants(fact)
    const { data, facts } = remembering()
    const chat = lab.open({ data })
    const { id } = await ask(chat, 'Do it.', { choice: 'session' })
    expect(progressIn((await ask(chat, 'Again.', { id })).events, 'approval')).toEqual([])
    expect(facts).toHaveLength(2)
    expect(progressIn((await ask(chat, 'Here too.', { choice: 'deny' })).events, 'approval')).toHaveLength(2)
    const restarted = lab.open({ data })
    const { events } = await ask(restarted, 'Once more.', { id, choice: 'deny' })
    expect(progressIn(events, 'approval')).toHaveLength(2)
    expect(facts).toHaveLength(2)
  })

  it('for good is valid in its conversation only, across restarts', async () => {
    wants(fact)
    const { data, facts } = remembering()
    const chat = lab.open({ data })
    const { id } = await ask(chat, 'Do it.', { choice: 'always' })
    expect(value(await chat.get(id)).agent_state.runtimes.jarvis).toMatchObject({
      allowed: [{ tool: 'remember', identity: 'own:remember' }],
    })
    const restarted = lab.open({ data })
    for (const message of ['Again.', 'And again.'])
      expect(progressIn((await ask(restarted, message, { id })).events, 'approval')).toEqual([])
    expect(facts).toHaveLength(3)
    const { events } = await ask(restarted, 'Here too.', { choice: 'deny' })
    expect(progressIn(events, 'approval')).toHaveLength(2)
  })

  it('is requested once for two concurrent calls if it is granted for longer', async () => {
    wants(fact, fact)
    const { data, facts } = remembering()
    const { events } = await ask(lab.open({ data }), 'Do it.', { choice: 'session' })
    expect(progressIn(events, 'approval')).toHaveLength(2)
    expect(facts).toHaveLength(2)
  })

  it('that was denied is reported to the model as a refusal, and the run continues', async () => {
    wants(fact)
    const { data, facts } = remembering()
    const { text, events } = await ask(lab.open({ data }), 'Do it.', { choice: 'deny' })
    expect(text).toBe('Error: The person did not allow it. Do not try it again; continue without it.')
    expect(facts).toEqual([])
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { outcome: 'completed' } })
  })

  it('is not requested again after three denials in a run', async () => {
    wants(...Array.from({ length: 6 }, () => fact))
    const { data, facts } = remembering()
    const { events } = await ask(lab.open({ data }), 'Do it.', { choice: 'deny' })
    expect(progressIn(events, 'approval').filter(({ status }) => status === 'started')).toHaveLength(3)
    expect(progressIn(events, 'tool').filter(({ status }) => status === 'skipped')).toHaveLength(6)
    expect(facts).toEqual([])
  })
})

describe('tool of an MCP server', () => {
  it('requires approval even if it claims to be read-only, and its result is data', async () => {
    wants(echo)
    const chat = lab.open({ mcp: { kit: overStdio() } })
    const { text, events } = await ask(chat, 'Do it.', { choice: 'once' })
    expect(progressIn(events, 'approval')[0]).toMatchObject({
      detail: { tool: 'kit__echo', server: 'kit', description: expect.stringMatching(/./) },
    })
    expect(text).toMatch(/^<data-(\w+) kind="result of kit__echo">\nheard: hello\n<\/data-\1>$/)
  })

  it('runs without approval if the config allows it', async () => {
    wants(echo)
    const chat = lab.open({ mcp: { kit: overStdio({ allow: ['echo'] }) } })
    const { text, events } = await ask(chat, 'Do it.')
    expect(progressIn(events, 'approval')).toEqual([])
    expect(text).toContain('heard: hello')
  })

  it('requires approval again if another program has its name', async () => {
    wants(echo)
    const mcp = { kit: overStdio() }
    const { id } = await ask(lab.open({ mcp }), 'Do it.', { choice: 'always' })
    expect(progressIn((await ask(lab.open({ mcp }), 'Again.', { id })).events, 'approval')).toEqual([])
    const other = overStdio()
    const changed = lab.open({ mcp: { kit: { ...other, args: [...other.args, 'another'] } } })
    expect(
      progressIn((await ask(changed, 'And now?', { id, choice: 'deny' })).events, 'approval'),
    ).toHaveLength(2)
  })

  it('is reported as missing, and the answer comes without it', async () => {
    lab.model.answer(() => ({ text: 'Without.' }))
    const broken = { command: 'no-such-program-of-ours', args: [], env: {}, headers: {}, allow: [] }
    const chat = lab.open({ mcp: { broken, kit: overStdio() } })
    const { text, events } = await ask(chat, 'Do it.')
    expect(text).toBe('Without.')
    expect(progressIn(events, 'step').filter(({ status }) => status === 'skipped')).toMatchObject([
      {
        status: 'skipped',
        label: 'MCP server broken',
        detail: { problem: expect.stringContaining('no-such-program-of-ours was not found') },
      },
    ])
    expect(lab.model.requests[0]?.tools?.map((tool) => tool.function.name)).toContain('kit__echo')
    expect(await chat.runtimes()).toMatchObject([
      {
        state: 'ready',
        detail: expect.stringMatching(/^Without the MCP server broken: .* was not found/),
      },
    ])
  })

  it('that dies during a call is reported as failed and is available the next time', async () => {
    wants({ name: 'kit__die', arguments: '{}' })
    const chat = lab.open({ mcp: { kit: overStdio({ allow: ['die', 'echo'] }) } })
    const { text, id } = await ask(chat, 'Do it.')
    expect(text).toContain('The program ended.')
    wants(echo)
    expect((await ask(chat, 'Again.', { id })).text).toContain('heard: hello')
  })
})
