/** Variables that would override the config in an SDK: keys, addresses, accounts, headers, logs. */
const THEIRS = /^(?:OPENAI|ANTHROPIC|AZURE_OPENAI)_/

/**
 * Creates a client without these variables. It is created synchronously, so that no other code
 * misses them meanwhile.
 */
export function createWithoutVariables<T>(make: () => T, env: NodeJS.ProcessEnv = process.env): T {
  const hidden = Object.entries(env).filter(([name]) => THEIRS.test(name))
  for (const [name] of hidden) delete env[name]
  try {
    return make()
  } finally {
    for (const [name, value] of hidden) env[name] = value
  }
}

type Dispatcher = new (options: object) => object

let dispatcher: object | undefined

/**
 * Node's fetch gives up after five minutes of silence. The config sets the timeout, so fetch must
 * not have one of its own.
 */
export function createFetchOptions(): { readonly dispatcher?: never; readonly redirect: 'error' } {
  if (dispatcher === undefined) {
    // The dispatcher exists as soon as any part of fetch was used.
    new Headers()
    const usual = (globalThis as Record<symbol, unknown>)[Symbol.for('undici.globalDispatcher.1')]
    try {
      const Made = (usual as { constructor: Dispatcher }).constructor
      dispatcher = new Made({ headersTimeout: 0, bodyTimeout: 0 })
    } catch {
      return { redirect: 'error' }
    }
  }
  // Following a redirect would send the conversation, and perhaps the key, to another server.
  return { dispatcher: dispatcher as never, redirect: 'error' }
}
