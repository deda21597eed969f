import { alnum, type CharacterSet, digit, has, runEnd, slug, token, upperAlnum, word } from './characters.ts'
import type { Shape } from './shape.ts'

interface KeyShape {
  readonly label: string
  readonly literal: string
  readonly body: CharacterSet
  /** The least number of characters after the literal. */
  readonly least: number
  /** Exactly `least` characters, no more. */
  readonly exact?: true
}

const key = (label: string, literal: string, body: CharacterSet, least: number): KeyShape => ({
  label,
  literal,
  body,
  least,
})

const KEYS: readonly KeyShape[] = [
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((literal) => key('github-token', literal, alnum, 20)),
  key('github-token', 'github_pat_', word, 20),
  key('gitlab-token', 'glpat-', slug, 16),
  { ...key('aws-key', 'AKIA', upperAlnum, 16), exact: true },
  { ...key('aws-key', 'ASIA', upperAlnum, 16), exact: true },
  key('google-key', 'AIza', slug, 30),
  key('google-token', 'ya29.', slug, 20),
  ...['xoxa-', 'xoxb-', 'xoxe-', 'xoxp-', 'xoxr-', 'xoxs-'].map((literal) =>
    key('slack-token', literal, slug, 10),
  ),
  key('huggingface-token', 'hf_', alnum, 28),
  key('npm-token', 'npm_', alnum, 30),
  key('groq-key', 'gsk_', alnum, 28),
  key('xai-key', 'xai-', alnum, 28),
  ...['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'].map((literal) => key('stripe-key', literal, alnum, 16)),
  key('webhook-secret', 'whsec_', token, 20),
  ...['pn_full_', 'pn_ing_', 'pn_gw_'].map((literal) => key('panoptes-token', literal, slug, 20)),
]

export const keyShapes: readonly Shape[] = KEYS.map((shape) => ({
  literal: shape.literal,
  look: (text, start, end) => {
    if (has(alnum, text, start - 1) || !text.startsWith(shape.literal, start)) return end
    const stop = runEnd(shape.body, text, end)
    const length = stop - end
    if (length < shape.least || (shape.exact && length !== shape.least)) return stop
    return { label: shape.label, start, end: stop }
  },
}))

const NAMED: readonly (readonly [prefix: string, label: string])[] = [
  ['sk-ant-', 'anthropic-key'],
  ['sk-proj-', 'openai-key'],
  ['sk-svcacct-', 'openai-key'],
  ['sk-or-', 'openrouter-key'],
]

/** `sk-` also starts ordinary words (`sk-toggleable-label`), so the rest must look like chance. */
export const openAiShape: Shape = {
  literal: 'sk-',
  look: (text, start, end) => {
    if (has(alnum, text, start - 1) || !text.startsWith('sk-', start)) return end
    const stop = runEnd(slug, text, end)
    const named = NAMED.find(([prefix]) => text.startsWith(prefix, start))
    if (named && stop - start >= named[0].length + 16) return { label: named[1], start, end: stop }
    return hasChancePart(text, end, stop) ? { label: 'openai-key', start, end: stop } : stop
  },
}

/** A part between dashes that is long, and has a digit unless it is very long. */
function hasChancePart(text: string, from: number, to: number): boolean {
  let at = from
  while (at < to) {
    const stop = runEnd(alnum, text, at, to)
    let digits = 0
    for (let index = at; index < stop; index++) if (has(digit, text, index)) digits += 1
    if (stop - at >= 32 || (stop - at >= 14 && digits > 0)) return true
    at = stop + 1
  }
  return false
}
