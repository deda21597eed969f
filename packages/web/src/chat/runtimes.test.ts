import type { RuntimeHealth } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { words } from '../words.ts'
import { defaultRuntime, runtimeGlyph } from './runtimes.ts'

const runtime = (id: string, state: RuntimeHealth['state'], is_default = false): RuntimeHealth => ({
  id,
  title: id,
  state,
  detail: '',
  models: [],
  is_default,
  transport: null,
})

it('shows an untried runtime as unknown and a failed one as failed', () => {
  expect(runtimeGlyph(runtime('acp:a', 'untried'))).toBe('unknown')
  expect(runtimeGlyph(runtime('acp:a', 'failed'))).toBe('failed')
  expect(words.chat.side.over(words.chat.side.states.untried, 'acp')).toContain('configured, not tried yet')
})

describe('the runtime without a choice', () => {
  it('is the default runtime, whether it is ready or not', () => {
    const all = [runtime('hermes', 'ready'), runtime('jarvis', 'unreachable', true)]
    expect(defaultRuntime(all)?.id).toBe('jarvis')
  })

  it('is the first usable runtime without a default, else the first one', () => {
    const gone = runtime('jarvis', 'not_configured')
    expect(defaultRuntime([gone, runtime('hermes', 'busy')])?.id).toBe('hermes')
    expect(defaultRuntime([gone, runtime('hermes', 'not_installed')])?.id).toBe('jarvis')
    expect(defaultRuntime([gone, runtime('acp:a', 'untried')])?.id).toBe('acp:a')
    expect(defaultRuntime([])).toBeUndefined()
  })
})
