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
import { deleteAt, getJson, postJson } from '../api/request.ts'

const SELDOM_MS = 30_000
const FRESH_MS = 5_000
const SUGGESTED = 5
const all = ['templates'] as const

const pathOf = (name: string): string => `/api/templates/${encodeURIComponent(name)}`

export const templatesQuery = queryOptions({
  queryKey: [...all, 'list'],
  queryFn: ({ signal }) => getJson<TemplatesReply>('/api/templates', signal),
  staleTime: FRESH_MS,
  refetchInterval: SELDOM_MS,
})

export const templateQuery = (name: string) =>
  queryOptions({
    queryKey: [...all, 'one', name],
    queryFn: ({ signal }) => getJson<TemplateReply>(`${pathOf(name)}/whole`, signal),
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

/** What a template of the session would be. */
export const previewQuery = (input: TemplateInput) =>
  queryOptions({
    queryKey: [...all, 'preview', input],
    queryFn: () => postJson<TemplatePreview>('/api/templates/preview', input),
    staleTime: FRESH_MS,
  })

export async function createTemplate(input: TemplateInput): Promise<CreatedTemplate> {
  const made = await postJson<CreatedTemplate>('/api/templates', input)
  await readAnew()
  return made
}

export async function deleteTemplate(name: string): Promise<void> {
  await deleteAt(pathOf(name))
  queryClient.setQueryData(
    templatesQuery.queryKey,
    (before) => before && { ...before, templates: before.templates.filter((one) => one.name !== name) },
  )
  queryClient.removeQueries({ queryKey: templateQuery(name).queryKey })
  void readAnew()
}

export async function restoreTemplate(name: string): Promise<void> {
  await postJson(`${pathOf(name)}/restore`)
  await readAnew()
}

/** The template in the form that an agent takes. It counts as a use. */
export async function injected(name: string, target: InjectTarget): Promise<string> {
  const { output } = await postJson<InjectReply>('/api/templates/inject', { name, for: target })
  void readAnew()
  return JSON.stringify(output, null, 2)
}

const readAnew = (): Promise<void> => queryClient.invalidateQueries({ queryKey: all })
