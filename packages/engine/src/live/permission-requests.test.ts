import { describe, expect, it } from 'vitest'
import { createRequests } from './permission-requests.ts'

const input = {
  source: 'claude-code',
  session_id: 's1',
  agent_id: 'main',
  tool: 'Bash',
  input_preview: null,
  questions: [],
}
const never = new AbortController().signal

describe('agent requests', () => {
  it('wait for one answer that is addressed to their own agent', async () => {
    const requests = createRequests(() => 1_000)
    const answer = requests.ask(input, 60_000, never)
    const [request] = requests.list()
    expect(request).toMatchObject({ ...input, since: 1_000, expires_at: 61_000, choices: ['allow', 'deny'] })
    const id = request?.request_id ?? ''
    const say = (session: string, choice: 'allow' | 'deny', agent = 'main') =>
      requests.answer({ session, agent }, { request_id: id, choice }).kind
    expect(say('s2', 'allow')).toBe('not_waiting')
    expect(say('s1', 'allow', 'helper')).toBe('not_waiting')
    expect(say('s1', 'deny')).toBe('taken')
    expect(say('s1', 'allow')).toBe('not_waiting')
    expect(await answer).toEqual({ choice: 'deny' })
    expect(requests.list()).toEqual([])
  })

  it('end unanswered on timeout, when the agent goes away, and on close', async () => {
    const requests = createRequests()
    const gone = new AbortController()
    const left = requests.ask(input, 60_000, gone.signal)
    const late = requests.ask(input, 5, never)
    const last = requests.ask(input, 60_000, never)
    gone.abort()
    expect(await left).toBeUndefined()
    expect(await late).toBeUndefined()
    requests.close()
    expect(await last).toBeUndefined()
    expect(await requests.ask(input, 60_000, never)).toBeUndefined()
    expect(requests.list()).toEqual([])
  })

  it('stay open after an answer that does not fit', async () => {
    const requests = createRequests()
    const colour = {
      question: 'Which colour?',
      header: null,
      options: [{ label: 'Blue', description: null }],
      multi_select: false,
    }
    const answer = requests.ask({ ...input, questions: [colour] }, 60_000, never)
    const request_id = requests.list()[0]?.request_id ?? ''
    const say = (answers?: Record<string, string>) =>
      requests.answer({ session: 's1', agent: 'main' }, { request_id, choice: 'allow', answers })
    expect(say()).toEqual({
      kind: 'unfit',
      problems: [{ path: 'answers.Which colour?', reason: 'needs an answer' }],
    })
    expect(requests.list()).toHaveLength(1)
    expect(say({ 'Which colour?': 'Blue' }).kind).toBe('taken')
    expect(await answer).toEqual({ choice: 'allow', answers: { 'Which colour?': 'Blue' } })
  })

  it('are limited in number', async () => {
    const requests = createRequests()
    const all = Array.from({ length: 300 }, () => requests.ask(input, 60_000, never))
    expect(requests.list()).toHaveLength(256)
    requests.close()
    expect(await Promise.all(all)).toEqual(Array(300).fill(undefined))
  })
})
