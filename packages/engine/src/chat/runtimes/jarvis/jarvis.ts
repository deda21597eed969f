import type { Moa } from '@panoptes/engine/moa'
import type { Prices, Providers } from '@panoptes/engine/models'
import type { JarvisConfig, McpServer, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { type OwnData, ownTools } from '../../own-tools/index.ts'
import type { RuntimeAdapter, RuntimeEvent } from '../port.ts'
import { Pushed } from '../pushed.ts'
import { unlessStopped } from '../stopped.ts'
import { type AnswerContext, type Answering, answer } from './answer.ts'
import { type Answerer, answererOf, configured, nameOf } from './answerer.ts'
import { createModelFinder } from './found-models.ts'
import { healthOf, NOTHING_THERE } from './health.ts'
import { openMcpServers } from './mcp/servers.ts'
import { Granted } from './tools/granted.ts'

export interface JarvisOptions {
  readonly config: JarvisConfig | null
  readonly providers: Providers
  readonly moa: Moa
  readonly prices: Prices
  /** Servers of tools, by name. */
  readonly mcp?: Readonly<Record<string, McpServer>> | undefined
  /** What our own tools ask. */
  readonly data?: OwnData | undefined
  /** Where servers of tools are started. */
  readonly folder?: string | undefined
}

/** The runtime that is built in: a loop of tools on the models that are there. */
export function createJarvis(options: JarvisOptions): RuntimeAdapter {
  const { config, providers, mcp = {}, data = {}, folder } = options
  const finder = createModelFinder(providers)
  const servers = openMcpServers(mcp, { folder })
  const own = configured(config)
  const usual = (): Answerer | null => {
    if (own) return own
    const first = finder.known()?.find(({ models }) => models.length > 0)
    const [model] = first?.models ?? []
    return first && model !== undefined ? { provider: first.provider, model } : null
  }
  const chosen = async (model: string | null): Promise<Result<Answerer>> => {
    if (usual() === null) await finder.all()
    const found = usual()
    if (model !== null) return answererOf(model, found, providers)
    return found ? success(found) : failure('not_found', NOTHING_THERE)
  }
  const answering: Answering = {
    caller: options,
    chosen,
    ownTools: ownTools(data).map((tool) => ({ ...tool, identity: `own:${tool.name}` })),
    servers,
    granted: new Granted(),
    toolless: new Set(),
  }
  return {
    id: 'jarvis',
    title: 'Jarvis',
    model: () => {
      const found = usual()
      return found && nameOf(found)
    },
    health: (signal) => healthOf({ moa: options.moa, finder, usual, servers }, signal),
    run: async function* (request, context) {
      const told = new Pushed<RuntimeEvent>()
      const left = new AbortController()
      const signal = AbortSignal.any([context.signal, left.signal])
      const telling: AnswerContext = {
        signal,
        tell: (event) => told.push(event),
        // The call that a person is asked about is told before: whoever looks then sees that it waits.
        ask: async (approval) => {
          await unlessStopped(told.seen(), signal)
          return context.ask(approval)
        },
      }
      void answer(answering, request, telling).finally(() => told.end())
      try {
        yield* told.read()
      } finally {
        left.abort()
      }
    },
    close: servers.close,
  }
}
