/** Detects the model's provider, with the names of the conventions. */
const MAKERS: readonly (readonly [RegExp, string])[] = [
  [/claude/, 'anthropic'],
  [/^(gpt|o\d|chatgpt|codex)|davinci|text-embedding/, 'openai'],
  [/gemini|gemma/, 'gcp.gemini'],
  [/mistral|mixtral|codestral|devstral/, 'mistral_ai'],
  [/grok/, 'x_ai'],
  [/deepseek/, 'deepseek'],
  [/^command/, 'cohere'],
]

export function detectProvider(model: string | null): string | undefined {
  if (model === null) return undefined
  const name = model.toLowerCase().split('/').at(-1) ?? ''
  return MAKERS.find(([pattern]) => pattern.test(name))?.[1] ?? 'unknown'
}
