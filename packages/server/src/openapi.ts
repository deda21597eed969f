import { problemDetails } from '@panoptes/schema'
import { z } from 'zod'
import { requiredRole } from './access.ts'
import type { Route } from './route.ts'

type Json = Readonly<Record<string, unknown>>

/** Describes the routes in OpenAPI, from the same schemas that validate them. */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)(?:\{\.\+\})?/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Panoptes', version, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        signature: { type: 'apiKey', in: 'header', name: 'X-Hermes-Signature-256' },
      },
      schemas: { Problem: toJsonSchema(problemDetails, 'output') },
    },
  }
}

const SECURITY: Readonly<Record<Route['scope'], readonly Json[]>> = {
  open: [],
  full: [{ token: [] }],
  ingest: [{ token: [] }],
  gateway: [{ token: [] }],
  metrics: [{ token: [] }],
  signed: [{ signature: [] }],
}

function operation(route: Route): Json {
  const { body, reply } = route
  const parameters = [...toParameters(route.params, 'path'), ...toParameters(route.query, 'query')]
  return {
    summary: route.summary,
    operationId: `${route.method.toLowerCase()}${route.path.replace('{.+}', '').replace(/[/:.]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    security: SECURITY[route.scope],
    'x-scope': route.scope,
    ...(route.scope === 'open' || route.scope === 'signed'
      ? {}
      : {
          'x-role': requiredRole(route),
          ...(route.home ? { 'x-only': 'home' } : {}),
          ...(route.main ? { 'x-only': 'main' } : {}),
        }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? { requestBody: { content: { [body.type]: { schema: toJsonSchema(body.schema, 'input') } } } }
      : {}),
    responses: {
      [reply.status ?? 200]: {
        description: route.summary,
        content: {
          [reply.type]: { schema: reply.schema ? toJsonSchema(reply.schema, 'output') : { type: 'string' } },
        },
      },
      default: {
        description: 'What went wrong and what to do next.',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  }
}

function toParameters(schema: z.ZodType | undefined, place: 'path' | 'query'): readonly Json[] {
  if (!schema) return []
  const { properties = {}, required = [] } = toJsonSchema(schema, 'input') as {
    readonly properties?: Readonly<Record<string, unknown>>
    readonly required?: readonly string[]
  }
  return Object.entries(properties).map(([name, described]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: described,
  }))
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return converted
}
