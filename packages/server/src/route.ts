import type { IncomingMessage } from 'node:http'
import { check, type Role } from '@panoptes/schema'
import { z } from 'zod'
import { othersFirst, withBody } from './body.ts'
import type { Caller } from './callers.ts'
import type { Asked } from './guard.ts'
import { badInput, type Refusal } from './problem.ts'

/** A request after it was let in. */
export interface Call {
  readonly url: URL
  readonly params: Readonly<Record<string, string>>
  readonly caller: Caller | undefined
  readonly incoming: IncomingMessage
  /** As it was judged: where it is from, above all. */
  readonly asked: Asked
  /** Says what it was done to, for the audit log, where that is more than what the path names. */
  readonly about: (target: string) => void
}

export type Reply = Response | Refusal

export interface ReplyShape {
  readonly type: string
  /** Of the whole answer, or of each line where the type is NDJSON. */
  readonly schema?: z.ZodType
  readonly status?: number
}

/** One thing the server does: the router and the description for machines are both made of these. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  /** `open` needs no token, `signed` a signature instead; `ingest`, `gateway` and `metrics` also take the token of that name. */
  readonly scope: 'open' | 'full' | 'ingest' | 'gateway' | 'metrics' | 'signed'
  /** What the caller has to be in the space; without it a viewer may GET, and a member everything else. */
  readonly role?: Role
  /** It is about the computer that answers: only its own token files will do. */
  readonly home?: true
  /** It is about all spaces: only an admin of the first one may. */
  readonly main?: true
  /** What comes is published to the bus, where there is one: it is taken while the database is away. */
  readonly published?: true
  /** What it is called in the audit log; null where it changes nothing. */
  readonly action?: string | null
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodType
  readonly body?: { readonly type: string; readonly schema: z.ZodType }
  readonly reply: ReplyShape
  /** Whether a page of an origin that the config names may ask this; without it none may. */
  readonly shared?: (query: URLSearchParams) => boolean
  readonly answer: (call: Call) => Reply | Promise<Reply>
}

type Definition<P, Q, B> = Omit<Route, 'params' | 'query' | 'body' | 'answer'> & {
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /** The most bytes of a body, where it is not a small one. */
  readonly most?: number
  readonly answer: (
    call: Omit<Call, 'params'> & { params: Out<P>; query: Out<Q>; body: Out<B> },
  ) => Reply | Promise<Reply>
}

type Out<S> = S extends z.ZodType ? z.output<S> : Record<string, never>

const SMALL_BODY = 65_536
const nothing = z.object({})

/** A route whose path, query and JSON body are checked before it is asked. */
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
      const asked = check(query ?? nothing, Object.fromEntries(call.url.searchParams))
      if (!asked.ok) return badInput('query', asked.problems)
      const said = body ? await readJson(call.incoming, body, most) : { ok: true as const, value: {} }
      if (!said.ok) return said.refusal
      return answer({
        ...call,
        params: path.value as Out<P>,
        query: asked.value as Out<Q>,
        body: said.value as Out<B>,
      })
    },
  }
}

type Said = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly refusal: Refusal }

async function readJson(incoming: IncomingMessage, schema: z.ZodType, most: number): Promise<Said> {
  const said = await withBody(incoming, most, async (text) => {
    const parsed = parseJson(text, schema)
    await othersFirst(text.length)
    return parsed
  })
  return 'ok' in said ? said : { ok: false, refusal: said }
}

function parseJson(text: string, schema: z.ZodType): Said {
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

/** What is JSON already. */
export const jsonText = (text: string, headers: Record<string, string> = {}): Response =>
  new Response(text, { headers: { 'content-type': JSON_TYPE, ...headers } })
