/** Variables by which an SDK would be told otherwise than by the config: keys, addresses, accounts, headers, logs. */
const THEIRS = /^(?:OPENAI|ANTHROPIC|AZURE_OPENAI)_/

/** Makes a client that knows nothing but what it is given. It is made at once, so that nobody else misses the variables meanwhile. */
export function withoutVariables<T>(make: () => T, env: NodeJS.ProcessEnv = process.env): T {
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

/** Node's own fetch gives up after five minutes of silence. How long to wait is said in the config, so that it must not. */
export function patientFetch(): { readonly dispatcher?: never; readonly redirect: 'error' } {
  if (dispatcher === undefined) {
    // It is there as soon as anything of fetch is used.
    new Headers()
    const usual = (globalThis as Record<symbol, unknown>)[Symbol.for('undici.globalDispatcher.1')]
    try {
      const Made = (usual as { constructor: Dispatcher }).constructor
      dispatcher = new Made({ headersTimeout: 0, bodyTimeout: 0 })
    } catch {
      return { redirect: 'error' }
    }
  }
  // Whoever sends elsewhere would have the conversation, and perhaps the key, go there.
  return { dispatcher: dispatcher as never, redirect: 'error' }
}
