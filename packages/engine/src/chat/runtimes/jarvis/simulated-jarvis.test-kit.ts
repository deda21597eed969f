import { openMoa } from '@panoptes/engine/moa'
import { createPrices, openProviders } from '@panoptes/engine/models'
import { type JarvisConfig, moaPreset, providerConfig } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Act, ScriptedRuntime } from '../conformance-kit.ts'
import type { RuntimeAdapter } from '../port.ts'
import { createJarvis, type JarvisOptions } from './jarvis.ts'
import { type ModelReply, type ModelRequest, startScriptedModel } from './scripted-model.test-kit.ts'

const PRICE = { input: 1, output: 2 }

/** Jarvis on models at this address: `local/m`, and the preset `pair` of `a`, `b` and `m`. */
export function jarvisOn(url: string, more: Partial<JarvisOptions> = {}): RuntimeAdapter {
  const providers = openProviders({
    providers: { local: providerConfig.parse({ kind: 'openai', base_url: url, retries: 0 }) },
    env: {},
  })
  const prices = createPrices({ m: PRICE, a: PRICE, b: PRICE })
  const slot = (model: string) => ({ provider: 'local', model })
  const moa = openMoa({
    presets: {
      pair: moaPreset.parse({ reference_models: [slot('a'), slot('b')], aggregator: slot('m') }),
    },
    defaultPreset: 'pair',
    privacy: '',
    providers,
    prices,
  })
  return createJarvis({ config: { provider: 'local', model: 'm' }, providers, moa, prices, ...more })
}

/** Jarvis on a model that plays the scripts of the conformance suite. */
export async function playedJarvis(config?: JarvisConfig): Promise<ScriptedRuntime> {
  const model = await startScriptedModel()
  let acts: readonly Act[] = [{ say: 'ok' }]
  let done = 0
  const remember = async () => {
    done += 1
    return success('kept')
  }
  const next = (): Act => {
    const [act = {}, ...rest] = acts
    if (rest.length > 0) acts = rest
    return act
  }
  let wanting: Act = {}
  model.answer((request) => {
    if (request.model !== 'm') return { text: `advice of ${request.model}` }
    const said = toolResultIn(request)
    if (said === null) wanting = next()
    if (wanting.unlessAllowed === undefined) return replyOf(wanting)
    if (said === null) return { calls: [{ name: 'remember', arguments: '{"text":"It is so."}' }] }
    return { text: /did not allow/.test(said) ? wanting.unlessAllowed : (wanting.say ?? '') }
  })
  const adapter = jarvisOn(model.url, { data: { remember }, ...(config ? { config } : {}) })
  return {
    adapter,
    play: (...given) => {
      acts = given
    },
    requestTexts: () =>
      model.requests
        .filter((request) => request.model === 'm' && toolResultIn(request) === null)
        .map(({ messages }) => JSON.stringify(messages)),
    approvedActions: () => done,
    activeAnswers: model.working,
    close: async () => {
      await adapter.close()
      await model.close()
    },
  }
}

/** Returns the tool result of this run; earlier ones are only sent as text. */
const toolResultIn = ({ messages }: ModelRequest): string | null => {
  const result = messages.findLast(({ role }) => role === 'tool')
  return result ? String(result.content) : null
}

const replyOf = ({ say = '', pieces, think, after, refuse }: Act): ModelReply => ({
  text: say,
  ...(pieces === undefined ? {} : { pieces }),
  ...(think === undefined ? {} : { think }),
  ...(refuse === undefined ? {} : { status: refuse }),
  after,
})
