export interface BuiltInProvider {
  /** The display name. */
  readonly title: string
  readonly kind: 'openai' | 'anthropic'
  readonly base_url: string
  /** The usual variables of its key; empty for a local provider without a key. */
  readonly keys: readonly string[]
}

/** Providers that need only their name in the config, and often not even that. */
export const BUILT_IN_PROVIDERS: Readonly<Record<string, BuiltInProvider>> = {
  openai: {
    title: 'OpenAI',
    kind: 'openai',
    base_url: 'https://api.openai.com/v1',
    keys: ['OPENAI_API_KEY'],
  },
  anthropic: {
    title: 'Anthropic',
    kind: 'anthropic',
    base_url: 'https://api.anthropic.com',
    keys: ['ANTHROPIC_API_KEY'],
  },
  openrouter: {
    title: 'OpenRouter',
    kind: 'openai',
    base_url: 'https://openrouter.ai/api/v1',
    keys: ['OPENROUTER_API_KEY'],
  },
  nous: {
    title: 'Nous',
    kind: 'openai',
    base_url: 'https://inference-api.nousresearch.com/v1',
    keys: ['NOUS_API_KEY'],
  },
  google: {
    title: 'Google Gemini',
    kind: 'openai',
    base_url: 'https://generativelanguage.googleapis.com/v1beta/openai',
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  },
  mistral: {
    title: 'Mistral',
    kind: 'openai',
    base_url: 'https://api.mistral.ai/v1',
    keys: ['MISTRAL_API_KEY'],
  },
  groq: {
    title: 'Groq',
    kind: 'openai',
    base_url: 'https://api.groq.com/openai/v1',
    keys: ['GROQ_API_KEY'],
  },
  deepseek: {
    title: 'DeepSeek',
    kind: 'openai',
    base_url: 'https://api.deepseek.com/v1',
    keys: ['DEEPSEEK_API_KEY'],
  },
  xai: { title: 'xAI', kind: 'openai', base_url: 'https://api.x.ai/v1', keys: ['XAI_API_KEY'] },
  ollama: { title: 'Ollama', kind: 'openai', base_url: 'http://127.0.0.1:11434/v1', keys: [] },
  'lm-studio': { title: 'LM Studio', kind: 'openai', base_url: 'http://127.0.0.1:1234/v1', keys: [] },
  vllm: { title: 'vLLM', kind: 'openai', base_url: 'http://127.0.0.1:8000/v1', keys: [] },
}
