import { LOCAL_PROVIDERS } from '@panoptes/engine/models'
import type { Result } from '@panoptes/schema'
import { json } from '../route.ts'
import { type Models, unknownModel } from './ask.ts'
import { errorBody } from './errors.ts'

const PATIENCE_MS = 3_000
/** A local provider may not be running, so the list does not wait long for it. */
const LOCAL_PATIENCE_MS = 500

/** Lists the presets, and the models of every provider that answers in time. */
export async function listed(models: Models): Promise<Response> {
  const presets = Object.keys(models.moa.presets()).map((name) => modelRow(`moa/${name}`, 'panoptes'))
  const others = await Promise.all(
    models.providers.endpoints.map(async ({ name }) => {
      const ids = await listModelIds(models, name)
      return ids.ok ? ids.value.map((id) => modelRow(`${name}/${id}`, name)) : []
    }),
  )
  return json({ object: 'list', data: [...presets, ...others.flat()] })
}

/** Finds one model by its id, such as `openai/gpt-5`; the part after the first slash may contain more slashes. */
export async function oneModel(models: Models, id: string): Promise<Response> {
  const slash = id.indexOf('/')
  const [place, name] = [id.slice(0, Math.max(0, slash)), id.slice(slash + 1)]
  if (place === 'moa' && Object.hasOwn(models.moa.presets(), name)) return json(modelRow(id, 'panoptes'))
  if (!models.providers.endpoints.some((endpoint) => endpoint.name === place)) return missing(id)
  const ids = await listModelIds(models, place)
  if (ids.ok) return ids.value.includes(name) ? json(modelRow(id, place)) : missing(id)
  return Response.json(errorBody(ids.message, 'server_error', 'network'), { status: 502 })
}

const missing = (id: string): Response =>
  unknownModel(`There is no model ${id}. GET /v1/models lists the models.`)

async function listModelIds({ providers }: Models, name: string): Promise<Result<readonly string[]>> {
  const provider = providers.get(name)
  if (!provider.ok) return provider
  const from = providers.endpoints.find((endpoint) => endpoint.name === name)?.from
  const isMaybe = LOCAL_PROVIDERS.includes(name) && from === 'local'
  return provider.value.models(AbortSignal.timeout(isMaybe ? LOCAL_PATIENCE_MS : PATIENCE_MS))
}

const modelRow = (id: string, owner: string) => ({ id, object: 'model', created: 0, owned_by: owner })
