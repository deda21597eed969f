import type { Templates } from '@panoptes/engine/templates'
import {
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
import type { Kit } from '../kit.ts'
import { type Refusal, refusalOf } from '../problem.ts'
import { JSON_TYPE, json, type Route, route } from '../route.ts'
import { templateStartRoute } from './template-start.ts'

/** What good sessions began with. The fixed words stand before names, since the first that fits answers. */
export const templateRoutes = ({ options: { templates } }: Kit): readonly Route[] =>
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

const answer = <T>(result: Result<T>): Response | Refusal =>
  result.ok ? json(result.value) : refusalOf(result)

const named = z.object({ name: z.string() })

const getTemplates = (templates: Templates): Route =>
  route({
    method: 'GET',
    path: '/api/templates',
    scope: 'full',
    summary: 'Templates, the newest first, each with its uses and what it did; and the files that are none.',
    query: templatesQuery,
    reply: { type: JSON_TYPE, schema: templatesReply },
    answer: async ({ query }) => answer(await templates.list(query.type)),
  })

const create = (templates: Templates): Route =>
  route({
    method: 'POST',
    path: '/api/templates',
    scope: 'full',
    summary: 'Makes a template of the first calls of a session that worked.',
    body: templateInput,
    reply: { type: JSON_TYPE, schema: createdTemplate },
    answer: async ({ body, about }) => {
      about(body.source)
      return answer(await templates.create(body))
    },
  })

const preview = (templates: Templates): Route =>
  route({
    method: 'POST',
    path: '/api/templates/preview',
    scope: 'full',
    action: null,
    summary: 'What a template of a session would hold, and what was taken out; nothing is written.',
    body: templateInput,
    reply: { type: JSON_TYPE, schema: templatePreview },
    answer: async ({ body }) => answer(await templates.preview(body)),
  })

/** A whole conversation may come with it. */
const MOST_MESSAGES = 16 * 1_048_576

const inject = (templates: Templates): Route =>
  route({
    method: 'POST',
    path: '/api/templates/inject',
    scope: 'full',
    summary: 'Puts a template into a conversation, in the form that was asked for, and counts the use.',
    body: injectInput,
    most: MOST_MESSAGES,
    reply: { type: JSON_TYPE, schema: injectReply },
    answer: async ({ body }) => answer(await templates.inject(body)),
  })

const getSuggested = (templates: Templates): Route =>
  route({
    method: 'GET',
    path: '/api/templates/suggested',
    scope: 'full',
    summary: 'Recent sessions that are worth a template, the best first, and why.',
    query: suggestQuery,
    reply: { type: JSON_TYPE, schema: suggestReply },
    answer: async ({ query }) => answer(await templates.suggest(query)),
  })

const getEffects = (templates: Templates): Route =>
  route({
    method: 'GET',
    path: '/api/templates/effects',
    scope: 'full',
    summary: 'What each template did, as far as it can be told.',
    query: effectQuery,
    reply: { type: JSON_TYPE, schema: effectsReply },
    answer: async ({ query }) => answer(await templates.effects(query.project)),
  })

const getTemplate = (templates: Templates): Route =>
  route({
    method: 'GET',
    path: '/api/templates/:name',
    scope: 'full',
    summary:
      'One template with its examples. One that is called "suggested" or "effects" is asked for with /whole after it.',
    params: named,
    query: templateQuery,
    reply: { type: JSON_TYPE, schema: templateReply },
    answer: async ({ params, query }) => answer(await templates.show(params.name, query.place)),
  })

const getWhole = (templates: Templates): Route =>
  route({
    method: 'GET',
    path: '/api/templates/:name/whole',
    scope: 'full',
    summary: 'One template with its examples, whatever it is called.',
    params: named,
    query: templateQuery,
    reply: { type: JSON_TYPE, schema: templateReply },
    answer: async ({ params, query }) => answer(await templates.show(params.name, query.place)),
  })

const getEffect = (templates: Templates): Route =>
  route({
    method: 'GET',
    path: '/api/templates/:name/effect',
    scope: 'full',
    summary: 'What one template did: sessions with it compared with sessions of the same kind without one.',
    params: named,
    query: effectQuery,
    reply: { type: JSON_TYPE, schema: templateEffect },
    answer: async ({ params, query }) => answer(await templates.effect(params.name, query.project)),
  })

const remove = (templates: Templates): Route =>
  route({
    method: 'DELETE',
    path: '/api/templates/:name',
    scope: 'full',
    summary: 'Deletes a template; it can be restored for a day.',
    params: named,
    reply: { type: JSON_TYPE, schema: deletedTemplate },
    answer: async ({ params: { name } }) => done(await templates.remove(name), name),
  })

const restore = (templates: Templates): Route =>
  route({
    method: 'POST',
    path: '/api/templates/:name/restore',
    scope: 'full',
    summary: 'Takes a deletion back.',
    params: named,
    reply: { type: JSON_TYPE, schema: deletedTemplate },
    answer: async ({ params: { name } }) => done(await templates.restore(name), name),
  })

const done = (result: Result<null>, name: string): Response | Refusal =>
  result.ok ? json({ ok: true, name }) : refusalOf(result)
