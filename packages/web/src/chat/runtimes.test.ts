import type { RuntimeHealth } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { usualOf } from './runtimes.ts'

const runtime = (id: string, state: RuntimeHealth['state'], is_default = false): RuntimeHealth => ({
  id,
  title: id,
  state,
  detail: '',
  models: [],
  is_default,
  transport: null,
})

describe('who answers where nobody was chosen', () => {
  it('is the default, whether it is ready or not', () => {
    const all = [runtime('hermes', 'ready'), runtime('jarvis', 'unreachable', true)]
    expect(usualOf(all)?.id).toBe('jarvis')
  })

  it('is the first that is ready where there is no default, else the first', () => {
    const gone = runtime('jarvis', 'not_configured')
    expect(usualOf([gone, runtime('hermes', 'busy')])?.id).toBe('hermes')
    expect(usualOf([gone, runtime('hermes', 'not_installed')])?.id).toBe('jarvis')
    expect(usualOf([])).toBeUndefined()
  })
})
