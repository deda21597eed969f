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
import { isSame, type Which } from './which.ts'

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

export const templateQuery = ({ place, name }: Which) =>
  queryOptions({
    queryKey: [...all, 'one', place, name],
    queryFn: ({ signal }) => getJson<TemplateReply>(`${pathOf(name)}/whole?place=${place}`, signal),
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

/** One of ours, whatever else has its name. False where it was gone already. */
export async function deleteTemplate(which: Which): Promise<boolean> {
  const deleted = await deleteAt(pathOf(which.name)).then(
    () => true,
    (error: unknown) => {
      if (isNotFound(error)) return false
      throw error
    },
  )
  queryClient.setQueryData(
    templatesQuery.queryKey,
    (before) => before && { ...before, templates: before.templates.filter((one) => !isSame(one, which)) },
  )
  queryClient.removeQueries({ queryKey: templateQuery(which).queryKey })
  void readAnew()
  return deleted
}

export async function restoreTemplate(name: string): Promise<void> {
  await postJson(`${pathOf(name)}/restore`)
  await readAnew()
}

/** The template in the form that an agent takes. It counts as a use. */
export async function injected({ name, place }: Which, target: InjectTarget): Promise<string> {
  const asked = postJson<InjectReply>('/api/templates/inject', { name, place, for: target })
  // Also where it is not found: then the list is old.
  const { output } = await asked.finally(() => void readAnew())
  return JSON.stringify(output, null, 2)
}

const isNotFound = (error: unknown): boolean => error instanceof RequestFailure && error.status === 404

const readAnew = (): Promise<void> => queryClient.invalidateQueries({ queryKey: all })
