import { join } from 'node:path'
import { config, type RuntimeHealth } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { chatChecks, notesCheck } from './chat-checks.ts'

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

  it('is that Jarvis has not all that is configured', async () => {
    const detail = 'Without the MCP server files: There is no program files-mcp.'
    const there = { ...health('jarvis'), detail }
    const jarvis = { provider: 'local', model: 'small' }
    expect(
      await chatChecks({ runtimes: async () => [there] }, config.parse({ runtimes: { jarvis } })),
    ).toMatchObject([{ state: 'warning', cause: detail }])
  })

  it('is which folders of notes are not there', () => {
    const notes = (...knowledge: string[]) =>
      notesCheck(config.parse({ chat: { knowledge } }), import.meta.dirname)
    expect(notes()).toEqual([])
    expect(notes('.')).toMatchObject([{ state: 'ok', detail: import.meta.dirname }])
    const absent = join(import.meta.dirname, 'no-such-folder')
    expect(notes('.', absent)).toMatchObject([{ state: 'warning', detail: `Not there: ${absent}` }])
  })

  it('is that the default names nobody', async () => {
    expect(await checked({ default: 'yours', acp }, 'jarvis', 'acp:mine')).toMatchObject({
      state: 'warning',
      detail: 'acp:yours cannot answer now',
      cause: 'There is no runtime acp:yours.',
    })
  })
})
