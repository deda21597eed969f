import { expect, it } from 'vitest'
import { resumeCommand } from './routes/agents.ts'

it('changes to the folder of the session before it resumes the session', () => {
  expect(resumeCommand('claude-code', 'abc-1', '/home/dev/notes')).toBe(
    'cd /home/dev/notes && claude --resume abc-1',
  )
  expect(resumeCommand('hermes', 'h1', null)).toBe('hermes --resume h1')
})

it('quotes a folder and a session id for the shell', () => {
  expect(resumeCommand('claude-code', 'a;b', "/my work/it's $HOME")).toBe(
    `cd '/my work/it'\\''s $HOME' && claude --resume 'a;b'`,
  )
})

it('returns no command for an agent without one, or for a session without an id', () => {
  expect(resumeCommand('otlp', 'abc', null)).toBeNull()
  expect(resumeCommand('claude-code', 'unknown', '/home/dev')).toBeNull()
})
