import { describe, expect, it } from 'vitest'
import { createRequests } from './requests.ts'

const asked = { source: 'claude-code', session_id: 's1', agent_id: 'main', tool: 'Bash', input_preview: null }
const never = new AbortController().signal

describe('requests', () => {
  it('wait until they are answered, for their own agent, once', async () => {
    const requests = createRequests(() => 1_000)
    const answer = requests.ask(asked, 60_000, never)
    const [request] = requests.list()
    expect(request).toMatchObject({ ...asked, since: 1_000, expires_at: 61_000, choices: ['allow', 'deny'] })
    const id = request?.request_id ?? ''
    expect(requests.answer({ session: 's2', agent: 'main' }, id, 'allow')).toBe(false)
    expect(requests.answer({ session: 's1', agent: 'main' }, id, 'deny')).toBe(true)
    expect(requests.answer({ session: 's1', agent: 'main' }, id, 'allow')).toBe(false)
    expect(await answer).toBe('deny')
    expect(requests.list()).toEqual([])
  })

  it('end without an answer in time, when the agent goes, and when all is over', async () => {
    const requests = createRequests()
    const gone = new AbortController()
    const left = requests.ask(asked, 60_000, gone.signal)
    const late = requests.ask(asked, 5, never)
    const last = requests.ask(asked, 60_000, never)
    gone.abort()
    expect(await left).toBeUndefined()
    expect(await late).toBeUndefined()
    requests.close()
    expect(await last).toBeUndefined()
    expect(await requests.ask(asked, 60_000, never)).toBeUndefined()
    expect(requests.list()).toEqual([])
  })

  it('are bounded', async () => {
    const requests = createRequests()
    const all = Array.from({ length: 300 }, () => requests.ask(asked, 60_000, never))
    expect(requests.list()).toHaveLength(256)
    requests.close()
    expect(await Promise.all(all)).toEqual(Array(300).fill(undefined))
  })
})
