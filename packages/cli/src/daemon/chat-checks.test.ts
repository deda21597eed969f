import { config, type RuntimeHealth } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { chatChecks } from './chat-checks.ts'

describe('what doctor says of who answers', () => {
  const health = (id: string): RuntimeHealth => ({
    id,
    title: id,
    state: 'ready',
    detail: '',
    models: [],
    transport: null,
    is_default: false,
  })
  const checked = async (runtimes: object, ...there: readonly string[]) =>
    (await chatChecks({ runtimes: async () => there.map(health) }, config.parse({ runtimes })))[0]
  const acp = { mine: { command: ['mine'] } }

  it('is nothing where the default is there, by its name alone, too', async () => {
    for (const name of ['mine', 'acp:mine'])
      expect(await checked({ default: name, acp }, 'jarvis', 'acp:mine')).toMatchObject({ state: 'ok' })
  })

  it('is that the default names nobody', async () => {
    expect(await checked({ default: 'yours', acp }, 'jarvis', 'acp:mine')).toMatchObject({
      state: 'warning',
      detail: 'acp:yours cannot answer now',
      cause: 'There is no runtime acp:yours.',
    })
  })
})
