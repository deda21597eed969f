import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type HermesAct,
  type ScriptedHermes,
  startScriptedHermes,
} from '@panoptes/engine/testing/scripted-hermes'
import { type ScriptedServer, startScripted } from '@panoptes/engine/testing/scripted-models'
import type { ChatEvent } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHome, type TestHome } from './command.ts'
import { converse, type HeardConversation } from './conversation.ts'
import { type Daemon, startDaemon } from './daemon.ts'

let home: TestHome
let model: ScriptedServer
let hermes: ScriptedHermes
let daemon: Daemon
beforeEach(async () => {
  home = await makeHome()
  model = await startScripted()
})
afterEach(async () => {
  await daemon.stop()
  await hermes.close()
  await model.close()
  await home.remove()
})

async function begin(way: Parameters<typeof startScriptedHermes>[0]): Promise<HeardConversation> {
  hermes = await startScriptedHermes(way)
  const config = {
    providers: { local: { kind: 'openai', base_url: `${model.url}/v1` } },
    runtimes: {
      jarvis: { provider: 'local', model: 'of-jarvis' },
      hermes: { url: hermes.url, api_key_env: 'KEY_OF_HERMES' },
    },
  }
  await mkdir(home.panoptes, { recursive: true, mode: 0o700 })
  await writeFile(join(home.panoptes, 'config.yaml'), JSON.stringify(config))
  daemon = await startDaemon({ home, env: { KEY_OF_HERMES: hermes.key } })
  return converse(daemon)
}

/** Runs a callback at the first words of an answer. */
const atFirst = (then: () => unknown) => {
  let isTold = false
  return ({ event }: ChatEvent) => {
    if (event !== 'chunk' || isTold) return
    isTold = true
    then()
  }
}

const FAULTS: readonly (readonly [HermesAct, string])[] = [
  [{ refuse: 401 }, 'unauthorized'],
  [{ refuse: 429 }, 'rate_limited'],
  [{ refuse: 500 }, 'provider_error'],
  [{ status: 302, headers: { location: 'http://127.0.0.1:9/' } }, 'not_configured'],
  [{ say: 'Half of', failed: 'The model timed out' }, 'timed_out'],
  [{ say: 'Half of', after: 'dies' }, 'died'],
  [{ say: 'Half of', after: 'garbles' }, 'malformed'],
]

describe.each(['session', 'runs', 'completions'] as const)(
  'a conversation with a Hermes that fails, by %s',
  (way) => {
    it('switches from Jarvis to it and back, and every fault leaves the conversation unchanged', async () => {
      const { say, cancel, states, kept } = await begin(way)
      model.script('of-jarvis', { text: 'The first word is heron.' })
      await say('Give me a word.', 'jarvis')
      hermes.play({ say: 'The second word is otter.' })
      expect((await say('Another one?', 'hermes')).text).toBe('The second word is otter.')
      expect(hermes.requestTexts()[0]).toContain('The first word is heron.')
      const before = await states()
      expect(Object.keys(before).sort()).toEqual(['hermes', 'jarvis'])

      for (const [act, code] of FAULTS) {
        hermes.play(act)
        const { last, text } = await say(`Will it be ${code}?`, 'hermes')
        expect(last).toMatchObject({ event: 'error', data: { code, runtime: 'hermes' } })
        const { messages } = await kept()
        expect(messages.at(-2)).toMatchObject({ role: 'user', status: 'complete' })
        expect(messages.at(-1)).toMatchObject({ status: text === '' ? 'failed' : 'partial', content: text })
        expect(await states()).toEqual(before)
      }

      hermes.play({ say: 'Half of', after: 'hangs' })
      const stopped = await say('Stop.', 'hermes', atFirst(cancel))
      expect(stopped.last).toMatchObject({ event: 'done', data: { outcome: 'cancelled' } })
      await expect.poll(() => hermes.activeAnswers()).toBe(0)

      hermes.play({ say: 'Half of', after: 'hangs' })
      const cut = await say(
        'Begin anew.',
        'hermes',
        atFirst(() => hermes.restart({ losing: true })),
      )
      expect(cut.last).toMatchObject({ event: 'error', data: { code: 'died', retryable: true } })
      expect(await states()).toEqual(before)

      model.script('of-jarvis', { text: 'It has its troubles.' })
      expect((await say('What is it with Hermes?', 'jarvis')).text).toBe('It has its troubles.')
      expect((await states()).hermes).toEqual(before.hermes)

      hermes.play({ say: 'I am well again.' })
      expect((await say('And now?', 'hermes')).text).toBe('I am well again.')
      const told = hermes.requestTexts().at(-1) ?? ''
      for (const words of ['The first word is heron.', 'The second word is otter.', 'It has its troubles.'])
        expect(told).toContain(words)
      expect((await states()).hermes?.rev).toBe(2)
    })
  },
)
