import type { Providers } from '@panoptes/engine/models'
import type { JarvisConfig, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'

/** The answerer: one model, or several through a preset. */
export type Answerer = { readonly provider: string; readonly model: string } | { readonly preset: string }

const PRESET = 'moa/'

export const answererName = (answerer: Answerer): string =>
  'preset' in answerer ? `${PRESET}${answerer.preset}` : `${answerer.provider}/${answerer.model}`

export const readConfiguredAnswerer = (config: JarvisConfig | null): Answerer | null => {
  if (config?.preset !== undefined) return { preset: config.preset }
  const { provider, model } = config ?? {}
  return provider === undefined || model === undefined ? null : { provider, model }
}

/** Parses `moa/preset`, `provider/model`, or a model of the default provider. */
export function parseAnswerer(
  name: string,
  usual: Answerer | null,
  { endpoints }: Pick<Providers, 'endpoints'>,
): Result<Answerer> {
  if (name.startsWith(PRESET)) return success({ preset: name.slice(PRESET.length) })
  const cut = name.indexOf('/')
  const provider = name.slice(0, Math.max(0, cut))
  if (endpoints.some((endpoint) => endpoint.name === provider))
    return success({ provider, model: name.slice(cut + 1) })
  if (usual && 'provider' in usual) return success({ provider: usual.provider, model: name })
  const there = endpoints.map((endpoint) => endpoint.name).join(', ')
  return failure(
    'not_found',
    `Unknown provider for the model ${name}. Use provider/model or moa/preset. Providers: ${there}.`,
  )
}
