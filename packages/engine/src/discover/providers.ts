import type { FoundSource } from '@panoptes/schema'
import type { Environment } from './places.ts'

const KEYS: readonly { readonly id: string; readonly name: string; readonly variables: readonly string[] }[] =
  [
    { id: 'anthropic', name: 'Anthropic', variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'] },
    { id: 'openai', name: 'OpenAI', variables: ['OPENAI_API_KEY'] },
    { id: 'openrouter', name: 'OpenRouter', variables: ['OPENROUTER_API_KEY'] },
    { id: 'google', name: 'Google Gemini', variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'] },
    { id: 'mistral', name: 'Mistral', variables: ['MISTRAL_API_KEY'] },
    { id: 'groq', name: 'Groq', variables: ['GROQ_API_KEY'] },
    { id: 'deepseek', name: 'DeepSeek', variables: ['DEEPSEEK_API_KEY'] },
    { id: 'xai', name: 'xAI', variables: ['XAI_API_KEY'] },
  ]

/** Providers whose key is in the environment. Only the name of the variable is told, never its value. */
export function findKeyedProviders(env: Environment): readonly FoundSource[] {
  return KEYS.map(({ id, name, variables }): FoundSource => {
    const set = variables.find((variable) => (env[variable] ?? '') !== '')
    const base = { id, name, kind: 'provider', path: null } as const
    if (set) return { ...base, state: 'found', detail: `Key in ${set}`, next: null }
    const next = `To use it, set ${variables[0]} before panoptes up.`
    return { ...base, state: 'absent', detail: 'No key in the environment', next }
  })
}
