import { expect, it } from 'vitest'
import { SECRET_KINDS } from '../../redact/secrets.test-kit.ts'
import { newState } from '../claude-code/transcript-state.ts'
import { startPlace } from '../tail/file-position.ts'
import { parseKept, writeKept } from './kept.ts'

it('removes secrets from remembered calls and commands and stores the rest of the state unchanged', () => {
  const secrets = Object.values(SECRET_KINDS).map((make) => make())
  const state = {
    ...newState(),
    prompt: 'p1',
    command: { ts: 1, text: secrets.join(' and ') },
    calls: Object.fromEntries(
      secrets.map((secret, n) => [`t${n}`, { tool: 'Bash', ts: n, input: { about: secret } }]),
    ),
  }
  const text = writeKept({ place: startPlace('1:2'), state, from: 3, whole: true })
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
  const kept = parseKept(text)
  expect(kept).toMatchObject({ place: startPlace('1:2'), from: 3, whole: true, state: { prompt: 'p1' } })
  expect(Object.keys(kept?.state.calls ?? {})).toEqual(Object.keys(state.calls))
})
