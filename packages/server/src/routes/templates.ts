import type { SessionStart, Templates } from '@panoptes/engine/templates'
import {
  check,
  createdTemplate,
  deletedTemplate,
  effectQuery,
  effectsReply,
  injectInput,
  injectReply,
  type Result,
  suggestQuery,
  suggestReply,
  templateEffect,
  templateInput,
  templatePreview,
  templateQuery,
  templateReply,
  templatesQuery,
  templatesReply,
} from '@panoptes/schema'
import { z } from 'zod'
import type { AppContext } from '../app-context.ts'
import { type Refusal, toRefusal } from '../problem.ts'
import { withBody } from '../request-body.ts'
import { JSON_TYPE, json, jsonReply, nameParams, type Route, route } from '../route.ts'

/** Templates from good sessions. Fixed paths come before `:name`, since the first matching route answers. */
export const templateRoutes = ({ options: { templates } }: AppContext): readonly Route[] =>
  templates === undefined
    ? []
    : [
        getTemplates(templates),
        create(templates),
        preview(templates),
        inject(templates),
        templateStartRoute(templates.atStart),
        getSuggested(templates),
        getEffects(templates),
        getTemplate(templates),
        getWhole(templates),
        getEffect(templates),
        remove(templates),
        restore(templates),
      ]

const getTemplates = (templates: Templates): Route =>
  route({
    method: 'GET',
    path: '/api/templates',
    scope: 'full',
    summary: 'Templates, newest first, with their uses and effects, and files that are not valid templates.',
    query: templatesQuery,
    reply: { type: JSON_TYPE, schema: templatesReply },
    answer: async ({ query }) => jsonReply(await templates.list(query.type)),
  })

const create = (templates: Templates): Route =>
  route({
    method: 'POST',
    path: '/api/templates',
    scope: 'full',
    summary: 'Create a template from the first successful tool calls of a session.',
    body: templateInput,
    reply: { type: JSON_TYPE, schema: createdTemplate },
    answer: async ({ body, setTarget }) => {
      setTarget(body.source)
      return jsonReply(await templates.create(body))
    },
  })

const preview = (templates: Templates): Route =>
  route({
    method: 'POST',
    path: '/api/templates/preview',
    scope: 'full',
    action: null,
    summary: 'Preview a template of a session, and what would be removed. Writes nothing.',
    body: templateInput,
    reply: { type: JSON_TYPE, schema: templatePreview },
    answer: async ({ body }) => jsonReply(await templates.preview(body)),
  })

/** The body may contain a whole conversation. */
const MOST_MESSAGES = 16 * 1_048_576

const inject = (templates: Templates): Route =>
  route({
    method: 'POST',
    path: '/api/templates/inject',
    scope: 'full',
    summary: 'Add a template to a conversation in the given format, and count the use.',
    body: injectInput,
    most: MOST_MESSAGES,
    reply: { type: JSON_TYPE, schema: injectReply },
    answer: async ({ body }) => jsonReply(await templates.inject(body)),
  })

const getSuggested = (templates: Templates): Route =>
  route({
    method: 'GET',
    path: '/api/templates/suggested',
    scope: 'full',
    summary: 'Recent sessions that are suitable for a template, best first, with reasons.',
    query: suggestQuery,
    reply: { type: JSON_TYPE, schema: suggestReply },
    answer: async ({ query }) => jsonReply(await templates.suggest(query)),
  })

const getEffects = (templates: Templates): Route =>
  route({
    method: 'GET',
    path: '/api/templates/effects',
    scope: 'full',
    summary: 'Effect of each template, if it can be measured.',
    query: effectQuery,
    reply: { type: JSON_TYPE, schema: effectsReply },
    answer: async ({ query }) => jsonReply(await templates.effects(query.project)),
  })

const getTemplate = (templates: Templates): Route =>
  route({
    method: 'GET',
    path: '/api/templates/:name',
    scope: 'full',
    summary: 'One template with its examples. For a template named "suggested" or "effects", append /whole.',
    params: nameParams,
    query: templateQuery,
    reply: { type: JSON_TYPE, schema: templateReply },
    answer: async ({ params, query }) => jsonReply(await templates.show(params.name, query.place)),
  })

const getWhole = (templates: Templates): Route =>
  route({
    method: 'GET',
    path: '/api/templates/:name/whole',
    scope: 'full',
    summary: 'One template with its examples. Works for every name.',
    params: nameParams,
    query: templateQuery,
    reply: { type: JSON_TYPE, schema: templateReply },
    answer: async ({ params, query }) => jsonReply(await templates.show(params.name, query.place)),
  })

const getEffect = (templates: Templates): Route =>
  route({
    method: 'GET',
    path: '/api/templates/:name/effect',
    scope: 'full',
    summary: 'Effect of one template: sessions with it compared with similar sessions without one.',
    params: nameParams,
    query: effectQuery,
    reply: { type: JSON_TYPE, schema: templateEffect },
    answer: async ({ params, query }) => jsonReply(await templates.effect(params.name, query.project)),
  })

const remove = (templates: Templates): Route =>
  route({
    method: 'DELETE',
    path: '/api/templates/:name',
    scope: 'full',
    summary: 'Delete a template. You can restore it for a day.',
    params: nameParams,
    reply: { type: JSON_TYPE, schema: deletedTemplate },
    answer: async ({ params: { name } }) => toTemplateReply(await templates.remove(name), name),
  })

const restore = (templates: Templates): Route =>
  route({
    method: 'POST',
    path: '/api/templates/:name/restore',
    scope: 'full',
    summary: 'Restore a deleted template.',
    params: nameParams,
    reply: { type: JSON_TYPE, schema: deletedTemplate },
    answer: async ({ params: { name } }) => toTemplateReply(await templates.restore(name), name),
  })

const toTemplateReply = (result: Result<null>, name: string): Response | Refusal =>
  result.ok ? json({ ok: true, name }) : toRefusal(result)

/** The largest accepted body. Clients send less about the start of a session. */
const BODY_LIMIT = 65_536

const payload = z.looseObject({
  hook_event_name: z.literal('SessionStart'),
  session_id: z.string().min(1).max(256),
  source: z.string(),
  cwd: z.string().optional(),
})

const hookOutput = z.object({
  hookSpecificOutput: z.object({ hookEventName: z.string(), additionalContext: z.string() }),
})

/**
 * Returns what the hook of a starting session prints. It accepts the ingest token, whose holder thereby
 * learns the template of the next session and nothing about other sessions. A payload that cannot be read
 * gets an empty answer.
 */
const templateStartRoute = (atStart: Templates['atStart']): Route => ({
  method: 'POST',
  path: '/api/templates/start',
  scope: 'ingest',
  summary:
    'Receives the payload of a Claude Code SessionStart hook. The response is the text that the hook prints: a matching template, or 204 if there is none.',
  body: { type: JSON_TYPE, schema: payload },
  reply: { type: JSON_TYPE, schema: hookOutput },
  answer: async ({ incoming }) => {
    const start = await withBody(incoming, BODY_LIMIT, parseSessionStart)
    if (start === undefined) return emptyResponse()
    if ('status' in start) return start
    const result = await atStart(start)
    if (!result.ok) return toRefusal(result)
    const output = check(hookOutput, result.value.output)
    return output.ok ? json(output.value) : emptyResponse()
  },
})

function parseSessionStart(text: string): SessionStart | undefined {
  try {
    const read = check(payload, JSON.parse(text))
    if (!read.ok) return undefined
    const { session_id, source, cwd = null } = read.value
    return { source: 'claude-code', session_id, began: source, cwd }
  } catch {
    return undefined
  }
}

const emptyResponse = (): Response => new Response(null, { status: 204 })
