import type { McpServer, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { toFieldList, toFields, toText } from '../../fields.ts'
import type { Connection } from './connect.ts'

/** A tool as its server describes it. */
export interface ServedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

export interface LinkOptions {
  readonly folder?: string | undefined
  /** How long a server may take to start and list its tools. */
  readonly connectMs?: number | undefined
  /** How long a failed server is left alone. */
  readonly restMs?: number | undefined
}

const CONNECT_MS = 30_000
const REST_MS = 15_000
/** The SDK's own timeout, set longer than ours. */
const CALL_MS = 24 * 3_600_000

/** The SDK is loaded on first use, because most installations never need it. */
const protocol = () => import('./connect.ts')
const failures = () => import('./failures.ts')

/** The connection to one MCP server, opened when it is needed and again after the server died. */
export class McpLink {
  readonly #config: McpServer
  readonly #options: LinkOptions
  readonly #stop = new AbortController()
  #connected: Connection | null = null
  #connecting: Promise<Connection> | null = null
  #tools: readonly ServedTool[] | null = null
  #asking: Promise<Result<readonly ServedTool[]>> | null = null
  #changes = 0
  #problem: { readonly message: string; readonly restsUntil: number } | null = null

  constructor(config: McpServer, options: LinkOptions = {}) {
    this.#config = config
    this.#options = options
  }

  /**
   * Lists its tools, from the server if they are not cached. Fails at once shortly after a failure.
   */
  async tools(): Promise<Result<readonly ServedTool[]>> {
    if (this.#tools && this.#connected) return success(this.#tools)
    if (this.#problem && performance.now() < this.#problem.restsUntil)
      return failure('io', this.#problem.message)
    this.#asking ??= this.#fetchTools().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  /** Runs a tool. A call that may have begun is never repeated. */
  async call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Result<string>> {
    for (let tries = 1; ; tries += 1) {
      let used: Connection | null = null
      try {
        used = await this.#ready()
        const result = await used.client.callTool(
          { name, arguments: { ...input } },
          { signal, timeout: CALL_MS },
        )
        const text = resultText(result)
        return toFields(result).isError === true ? failure('io', text || 'It failed.') : success(text)
      } catch (error) {
        if (signal.aborted || this.#stop.signal.aborted) return failure('stopped', 'It was stopped.')
        const { readServerError, wasNeverSent } = await failures()
        const refused = readServerError(error)
        if (refused !== null) return failure('io', refused)
        const message = await this.#recordFailure(error, used)
        if (tries > 1 || !wasNeverSent(error)) return failure('io', message)
      }
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    const connected = this.#connected
    this.#connected = null
    await Promise.allSettled([connected?.close(), this.#connecting?.then(({ close }) => close())])
  }

  #ready(): Promise<Connection> {
    if (this.#connected) return Promise.resolve(this.#connected)
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = null
    })
    return this.#connecting
  }

  async #connect(): Promise<Connection> {
    const { connect } = await protocol()
    let made: Connection | null = null
    made = await connect(this.#config, {
      folder: this.#options.folder,
      timeoutMs: this.#options.connectMs ?? CONNECT_MS,
      signal: this.#stop.signal,
      onClose: () => {
        if (made !== null && this.#connected === made) this.#connected = null
      },
      onToolsChanged: () => {
        this.#changes += 1
        this.#tools = null
      },
    })
    this.#connected = made
    return made
  }

  async #fetchTools(): Promise<Result<readonly ServedTool[]>> {
    let used: Connection | null = null
    try {
      used = await this.#ready()
      const changes = this.#changes
      const listed = await this.#requestTools(used)
      this.#problem = null
      this.#tools = changes === this.#changes ? listed : null
      return success(listed)
    } catch (error) {
      return failure('io', await this.#recordFailure(error, used, this.#options.restMs ?? REST_MS))
    }
  }

  async #requestTools({ client }: Connection): Promise<readonly ServedTool[]> {
    if (!client.getServerCapabilities()?.tools) return []
    const { tools } = await client.listTools(undefined, {
      timeout: this.#options.connectMs ?? CONNECT_MS,
      signal: this.#stop.signal,
      cacheMode: 'refresh',
    })
    return tools.map(({ name, description = '', inputSchema }) => ({ name, description, inputSchema }))
  }

  /** Drops a broken connection; the next use opens a new one. */
  async #recordFailure(error: unknown, used: Connection | null, restMs = 0): Promise<string> {
    const { describeFailure } = await failures()
    const message = describeFailure(error, this.#config)
    this.#problem = { message, restsUntil: performance.now() + restMs }
    if (this.#connected === used) this.#connected = null
    void used?.close()
    return message
  }
}

/** Formats a tool's result for the model. */
function resultText(result: unknown): string {
  const { content, structuredContent } = toFields(result)
  const texts = toFieldList(content)
    .map(blockText)
    .filter((text) => text !== '')
  if (texts.length > 0) return texts.join('\n')
  return structuredContent === undefined ? '' : (JSON.stringify(structuredContent) ?? '')
}

function blockText({
  type,
  text,
  data,
  mimeType,
  resource,
  uri,
  name,
}: Readonly<Record<string, unknown>>): string {
  if (type === 'text') return toText(text)
  if (type === 'image' || type === 'audio')
    return `[${type} ${toText(mimeType)}, ${Math.floor((toText(data).length * 3) / 4)} bytes, not shown]`
  if (type === 'resource_link') return `[${toText(name) || 'resource'}: ${toText(uri)}]`
  if (type !== 'resource') return ''
  const of = toFields(resource)
  return toText(of.text) || `[resource ${toText(of.uri)}, not text]`
}
