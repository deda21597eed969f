import type { FoundSource, PresetsReply } from '@panoptes/schema'

/** Models that a provider certainly offers. */
const MODELS: Readonly<Record<string, readonly [advises: string, acts: string]>> = {
  anthropic: ['claude-haiku-4-5', 'claude-sonnet-4-6'],
}
const NAMED: readonly [string, string] = ['name-of-a-small-model', 'name-of-a-good-model']

/** Suggests config lines: a preset of the found providers, with a local provider added if none was found. */
export function suggestedConfig(found: readonly string[]): string {
  const [first, second] = found
  if (first === undefined)
    return [
      'providers:',
      '  local: { kind: openai, base_url: http://127.0.0.1:11434/v1 }',
      ...presetLines('local', 'local'),
    ].join('\n')
  return presetLines(second ?? first, first).join('\n')
}

function presetLines(advises: string, acts: string): readonly string[] {
  const small = (MODELS[advises] ?? NAMED)[0]
  const other = (MODELS[acts] ?? NAMED)[0]
  const good = (MODELS[acts] ?? NAMED)[1]
  const references = [
    ...new Set([`{ provider: ${advises}, model: ${small} }`, `{ provider: ${acts}, model: ${other} }`]),
  ]
  return [
    'moa:',
    '  presets:',
    '    review:',
    '      reference_models:',
    ...references.map((line) => `        - ${line}`),
    `      aggregator: { provider: ${acts}, model: ${good} }`,
  ]
}

/** Returns the usable providers: configured ones, ones with a key, and ones that answer on this computer. */
export function findUsableProviders(
  providers: PresetsReply['providers'],
  sources: readonly FoundSource[],
): readonly string[] {
  const answers = new Set(
    sources.filter(({ kind, state }) => kind === 'provider' && state === 'found').map(({ id }) => id),
  )
  return providers
    .filter(({ name, from, has_key }) => from === 'config' || has_key || answers.has(name))
    .map(({ name }) => name)
}
