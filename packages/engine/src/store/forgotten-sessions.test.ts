import { describe, expect, it } from 'vitest'
import { ForgottenSessions, forgottenHash } from './forgotten-sessions.ts'

const key = new Uint8Array([1, 2, 3])
const event = (session_id: string, source = 'codex') => ({ source, session_id })

describe('forgotten sessions', () => {
  it('are recognised at once, even if they were looked up before', () => {
    const forgotten = new ForgottenSessions({ key, hashes: [forgottenHash(key, 'codex', 'a')] })
    expect([forgotten.has('codex', 'a'), forgotten.has('codex', 'b')]).toEqual([true, false])
    forgotten.add({ source: 'codex', id: 'b' })
    expect([forgotten.has('codex', 'b'), forgotten.has('hermes', 'b')]).toEqual([true, false])
    expect(forgotten.dropForgotten([event('a'), event('b'), event('b', 'hermes'), event('c')])).toEqual([
      event('b', 'hermes'),
      event('c'),
    ])
  })

  it('are replaced as a whole by those that another process stored', () => {
    const forgotten = new ForgottenSessions({ key, hashes: [] })
    forgotten.add({ source: 'codex', id: 'a' })
    expect(forgotten.has('codex', 'a')).toBe(true)
    const other = new Uint8Array([9])
    const left = { key: other, hashes: [forgottenHash(other, 'codex', 'b')] }
    forgotten.replace(left)
    expect([forgotten.has('codex', 'a'), forgotten.has('codex', 'b')]).toEqual([false, true])
    expect(forgotten.all()).toEqual(left)
  })
})
