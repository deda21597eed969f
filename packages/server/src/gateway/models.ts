import { LOCAL_PROVIDERS } from '@panoptes/engine/models'
import type { Result } from '@panoptes/schema'
import { json } from '../route.ts'
import { type Models, unknownModel } from './ask.ts'
import { errorBody } from './errors.ts'

const PATIENCE_MS = 3_000
/** Of those that may not be running, nobody waits for long. */
const LOCAL_PATIENCE_MS = 500

/** The presets, and the models of every provider that tells them. */
export async function listed(models: Models): Promise<Response> {
  const presets = Object.keys(models.moa.presets()).map((name) => modelRow(`moa/${name}`, 'panoptes'))
  const others = await Promise.all(
    models.providers.endpoints.map(async ({ name }) => {
      const told = await modelsOf(models, name)
      return told.ok ? told.value.map((id) => modelRow(`${name}/${id}`, name)) : []
    }),
  )
  return json({ object: 'list', data: [...presets, ...others.flat()] })
}

/** One model by its id, which has a slash in it at least. */
export async function oneModel(models: Models, id: string): Promise<Response> {
  const slash = id.indexOf('/')
  const [place, name] = [id.slice(0, Math.max(0, slash)), id.slice(slash + 1)]
  if (place === 'moa' && Object.hasOwn(models.moa.presets(), name)) return json(modelRow(id, 'panoptes'))
  if (!models.providers.endpoints.some((endpoint) => endpoint.name === place)) return missing(id)
  const told = await modelsOf(models, place)
  if (told.ok) return told.value.includes(name) ? json(modelRow(id, place)) : missing(id)
  return Response.json(errorBody(told.message, 'server_error', 'network'), { status: 502 })
}

const missing = (id: string): Response =>
  unknownModel(`There is no model ${id}. GET /v1/models lists those that there are.`)

async function modelsOf({ providers }: Models, name: string): Promise<Result<readonly string[]>> {
  const provider = providers.get(name)
  if (!provider.ok) return provider
  const from = providers.endpoints.find((endpoint) => endpoint.name === name)?.from
  const isMaybe = LOCAL_PROVIDERS.includes(name) && from === 'local'
  return provider.value.models(AbortSignal.timeout(isMaybe ? LOCAL_PATIENCE_MS : PATIENCE_MS))
}

const modelRow = (id: string, owner: string) => ({ id, object: 'model', created: 0, owned_by: owner })
