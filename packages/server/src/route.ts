import type { IncomingMessage } from 'node:http'
import { check, type Result, type Role } from '@panoptes/schema'
import { z } from 'zod'
import type { Caller, RequestHead } from './authenticate.ts'
import { badInput, type Refusal, toRefusal } from './problem.ts'
import { withBody, yieldToOthers } from './request-body.ts'

/** An authorized request. */
export interface Call {
  readonly url: URL
  readonly params: Readonly<Record<string, string>>
  readonly caller: Caller | undefined
  readonly incoming: IncomingMessage
  /** The request as it was authorized, with the address that it came from. */
  readonly requestHead: RequestHead
  /** Names the target for the audit log where the path does not say enough. */
  readonly setTarget: (target: string) => void
  /**
   * Logs why a streamed answer cannot be completed, and closes the connection, so that the client sees that the
   * answer is cut off. The HTTP adapter would print the error of a stream on the terminal, with its stack.
   */
  readonly cutOff: (reason: string) => void
}

export type Reply = Response | Refusal

export interface ReplyShape {
  readonly type: string
  /** The schema of the whole answer, or of each line if the type is NDJSON. */
  readonly schema?: z.ZodType
  readonly status?: number
}

/** One endpoint of the server. The router, the authorization and the OpenAPI description are all made from these. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  /**
   * `open` needs no token, `signed` needs a signature instead; `ingest`, `gateway` and `metrics` also accept the
   * token of that name.
   */
  readonly scope: 'open' | 'full' | 'ingest' | 'gateway' | 'metrics' | 'signed'
  /** The least role in the space; by default a viewer may GET and a member may do everything else. */
  readonly role?: Role
  /** Only the token files of this home may use it, since it is about the computer that answers. */
  readonly home?: true
  /** Only an admin of the first space may use it, since it is about all spaces. */
  readonly main?: true
  /** The body is published to the bus, if there is one, so the route works while the database is down. */
  readonly published?: true
  /** The action in the audit log; null if the route changes nothing. */
  readonly action?: string | null
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodType
  readonly body?: { readonly type: string; readonly schema: z.ZodType }
  readonly reply: ReplyShape
  /** Whether a page of an origin in the config may make this request; by default none may. */
  readonly shared?: (query: URLSearchParams) => boolean
  readonly answer: (call: Call) => Reply | Promise<Reply>
}

type Definition<P, Q, B> = Omit<Route, 'params' | 'query' | 'body' | 'answer'> & {
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /** The largest body in bytes, if 64 KiB is not enough. */
  readonly most?: number
  readonly answer: (
    call: Omit<Call, 'params'> & { params: ParsedOutput<P>; query: ParsedOutput<Q>; body: ParsedOutput<B> },
  ) => Reply | Promise<Reply>
}

type ParsedOutput<S> = S extends z.ZodType ? z.output<S> : Record<string, never>

/** The parameters of paths that end in `:id` or `:name`. */
export const idParams = z.object({ id: z.string() })
export const nameParams = z.object({ name: z.string() })

const SMALL_BODY = 65_536
const nothing = z.object({})

/** Defines a route whose path, query and JSON body are validated before `answer` runs. */
export function route<
  P extends z.ZodObject = typeof nothing,
  Q extends z.ZodType = typeof nothing,
  B extends z.ZodType = typeof nothing,
>(definition: Definition<P, Q, B>): Route {
  const { params, query, body, most = SMALL_BODY, answer, ...rest } = definition
  return {
    ...rest,
    ...(params ? { params } : {}),
    ...(query ? { query } : {}),
    ...(body ? { body: { type: 'application/json', schema: body } } : {}),
    answer: async (call) => {
      const path = check(params ?? nothing, call.params)
      if (!path.ok) return badInput('query', path.problems)
      const checkedQuery = check(query ?? nothing, Object.fromEntries(call.url.searchParams))
      if (!checkedQuery.ok) return badInput('query', checkedQuery.problems)
      const checkedBody = body ? await readJson(call.incoming, body, most) : { ok: true as const, value: {} }
      if (!checkedBody.ok) return checkedBody.refusal
      return answer({
        ...call,
        params: path.value as ParsedOutput<P>,
        query: checkedQuery.value as ParsedOutput<Q>,
        body: checkedBody.value as ParsedOutput<B>,
      })
    },
  }
}

type ParsedBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly refusal: Refusal }

async function readJson(incoming: IncomingMessage, schema: z.ZodType, most: number): Promise<ParsedBody> {
  const result = await withBody(incoming, most, async (text) => {
    const parsed = parseJson(text, schema)
    await yieldToOthers(text.length)
    return parsed
  })
  return 'ok' in result ? result : { ok: false, refusal: result }
}

function parseJson(text: string, schema: z.ZodType): ParsedBody {
  let parsed: unknown = {}
  try {
    if (text.trim() !== '') parsed = JSON.parse(text)
  } catch {
    return { ok: false, refusal: badInput('body', [{ path: '', reason: 'is not JSON' }]) }
  }
  const checked = check(schema, parsed)
  return checked.ok ? checked : { ok: false, refusal: badInput('body', checked.problems) }
}

export const JSON_TYPE = 'application/json'
export const NDJSON_TYPE = 'application/x-ndjson'

export const json = (value: unknown, headers: Record<string, string> = {}): Response =>
  jsonText(JSON.stringify(value), headers)

/** Answers with the value of a result, or refuses with its failure. */
export const jsonReply = (result: Result<unknown>): Reply =>
  result.ok ? json(result.value) : toRefusal(result)

/** A response from text that is JSON already. */
export const jsonText = (text: string, headers: Record<string, string> = {}): Response =>
  new Response(text, { headers: { 'content-type': JSON_TYPE, ...headers } })
