const PROVIDERS = [
  ...[
    'openai',
    'anthropic',
    'google',
    'gemini',
    'mistral',
    'meta',
    'qwen',
    'deepseek',
    'xai',
    'nous',
    'ollama',
  ],
  ...['groq', 'openrouter', 'codex'],
]
const LOCAL = ['ollama', 'llama.cpp', 'localhost', '127.0.0.1', 'local/', 'local:', 'gguf', 'vllm-local']

export const isModel = (model: string | null): model is string =>
  model !== null && model !== '' && model !== 'None'

/** Returns the provider of a model, as far as its name tells. */
export function findProvider(model: string): string | undefined {
  const name = model.trim().toLowerCase()
  if (name === '' || name === 'none') return undefined
  if (name.includes('/')) return name.slice(0, name.indexOf('/'))
  const match = PROVIDERS.find((provider) => name.includes(provider))
  if (match) return match === 'gemini' ? 'google' : match
  return name.split(':', 1)[0]?.split('-', 1)[0]
}

export const isLocal = (model: string): boolean => {
  const name = model.toLowerCase()
  return LOCAL.some((word) => name.includes(word))
}
