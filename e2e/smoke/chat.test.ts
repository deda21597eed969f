import { type ScriptedServer, startScripted } from '@panoptes/engine/testing/scripted-models'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lastConversation, writeChatHome } from '../chat-command-kit.ts'
import { useHome } from '../command-kit.ts'

const { home, run, start } = useHome()
let models: ScriptedServer
beforeEach(async () => {
  models = await startScripted()
  models.script('small', { text: 'Grüße, *you*.\nAll is well', pieces: 6 })
  await writeChatHome(home(), models.url)
})
afterEach(() => models.close())

describe('panoptes chat', () => {
  it("prints the model's answer, stores both messages, and resumes with them", async () => {
    const daemon = await start()
    expect(await run('chat', 'Is all well?')).toEqual({
      code: 0,
      stdout: 'Grüße, *you*.\nAll is well\n',
      stderr: '',
    })
    expect(await lastConversation(daemon)).toMatchObject({
      title: 'Is all well?',
      runtime: 'jarvis',
      messages: [
        { role: 'user', content: 'Is all well?' },
        { role: 'assistant', content: 'Grüße, *you*.\nAll is well', status: 'complete' },
      ],
    })
    models.script('small', { text: 'Still' })
    expect(await run('chat', '--resume', 'last', 'And now?')).toMatchObject({ code: 0, stdout: 'Still\n' })
    expect(models.requests.at(-1)?.text).toContain('Is all well?')
    expect((await lastConversation(daemon)).messages).toHaveLength(4)
  })
})
