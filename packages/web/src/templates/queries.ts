import type {
  CreatedTemplate,
  InjectReply,
  InjectTarget,
  Suggestion,
  TemplateInput,
  TemplatePreview,
  TemplateReply,
  TemplatesReply,
} from '@panoptes/schema'
import { queryOptions } from '@tanstack/react-query'
import { queryClient } from '../api/client.ts'
import { deleteAt, getJson, postJson, RequestFailure } from '../api/request.ts'
import { isSameTemplate, type TemplateRef } from './template-ref.ts'

const SELDOM_MS = 30_000
const FRESH_MS = 5_000
const SUGGESTED = 5
const all = ['templates'] as const

const templatePath = (name: string): string => `/api/templates/${encodeURIComponent(name)}`

export const templatesQuery = queryOptions({
  queryKey: [...all, 'list'],
  queryFn: ({ signal }) => getJson<TemplatesReply>('/api/templates', signal),
  staleTime: FRESH_MS,
  refetchInterval: SELDOM_MS,
})

export const templateQuery = ({ place, name }: TemplateRef) =>
  queryOptions({
    queryKey: [...all, 'one', place, name],
    queryFn: ({ signal }) => getJson<TemplateReply>(`${templatePath(name)}/whole?place=${place}`, signal),
    staleTime: FRESH_MS,
    refetchInterval: SELDOM_MS,
  })

export const suggestedQuery = queryOptions({
  queryKey: [...all, 'suggested'],
  queryFn: ({ signal }) =>
    getJson<readonly Suggestion[]>(`/api/templates/suggested?limit=${SUGGESTED}`, signal),
  staleTime: FRESH_MS,
  refetchInterval: SELDOM_MS,
})

/** Previews the template of a session. */
export const previewQuery = (input: TemplateInput) =>
  queryOptions({
    queryKey: [...all, 'preview', input],
    queryFn: () => postJson<TemplatePreview>('/api/templates/preview', input),
    staleTime: FRESH_MS,
  })

export async function createTemplate(input: TemplateInput): Promise<CreatedTemplate> {
  const made = await postJson<CreatedTemplate>('/api/templates', input)
  await invalidateTemplates()
  return made
}

/**
 * Deletes a Panoptes template, even if one of Hermes has the same name. Returns false if it was gone already.
 */
export async function deleteTemplate(which: TemplateRef): Promise<boolean> {
  const deleted = await deleteAt(templatePath(which.name)).then(
    () => true,
    (error: unknown) => {
      if (isNotFound(error)) return false
      throw error
    },
  )
  queryClient.setQueryData(
    templatesQuery.queryKey,
    (before) =>
      before && { ...before, templates: before.templates.filter((one) => !isSameTemplate(one, which)) },
  )
  queryClient.removeQueries({ queryKey: templateQuery(which).queryKey })
  void invalidateTemplates()
  return deleted
}

export async function restoreTemplate(name: string): Promise<void> {
  await postJson(`${templatePath(name)}/restore`)
  await invalidateTemplates()
}

/** Returns a template in the format of an agent, which counts as a use. */
export async function injectTemplate({ name, place }: TemplateRef, target: InjectTarget): Promise<string> {
  const request = postJson<InjectReply>('/api/templates/inject', { name, place, for: target })
  // This also runs after a 404, which means that the list is outdated.
  const { output } = await request.finally(() => void invalidateTemplates())
  return JSON.stringify(output, null, 2)
}

const isNotFound = (error: unknown): boolean => error instanceof RequestFailure && error.status === 404

const invalidateTemplates = (): Promise<void> => queryClient.invalidateQueries({ queryKey: all })
