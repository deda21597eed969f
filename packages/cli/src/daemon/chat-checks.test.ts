import { join } from 'node:path'
import { config, type RuntimeHealth } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { chatChecks, notesCheck } from './chat-checks.ts'

describe('the doctor check of the default runtime', () => {
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

  it('accepts a ready default runtime with or without the acp: prefix', async () => {
    for (const name of ['mine', 'acp:mine'])
      expect(await checked({ default: name, acp }, 'jarvis', 'acp:mine')).toMatchObject({ state: 'ok' })
  })

  it('warns if Jarvis runs without a configured MCP server', async () => {
    const detail = 'Without the MCP server files: files-mcp was not found.'
    const there = { ...health('jarvis'), detail }
    const jarvis = { provider: 'local', model: 'small' }
    expect(
      await chatChecks({ runtimes: async () => [there] }, config.parse({ runtimes: { jarvis } })),
    ).toMatchObject([{ state: 'warning', cause: detail }])
  })

  it('warns about missing folders of notes', () => {
    const notes = (...knowledge: string[]) =>
      notesCheck(config.parse({ chat: { knowledge } }), import.meta.dirname)
    expect(notes()).toEqual([])
    expect(notes('.')).toMatchObject([{ state: 'ok', detail: import.meta.dirname }])
    const absent = join(import.meta.dirname, 'no-such-folder')
    expect(notes('.', absent)).toMatchObject([{ state: 'warning', detail: `Missing: ${absent}` }])
  })

  it('warns if the default runtime is unknown', async () => {
    expect(await checked({ default: 'yours', acp }, 'jarvis', 'acp:mine')).toMatchObject({
      state: 'warning',
      detail: 'acp:yours cannot answer now',
      cause: 'Unknown runtime: acp:yours.',
    })
  })
})
