import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'

/** The models that a session may be answered by, and how one is chosen. */
export interface SessionModels {
  readonly current: string
  readonly all: readonly string[]
  readonly choose: (session: string, model: string) => { readonly method: string; readonly params: Fields }
}

const MOST_MODELS = 500

/** Agents tell of models in one of two ways. */
export function modelsIn(opened: Fields): SessionModels | null {
  const told = fieldsOf(opened.models)
  if (typeof told.currentModelId === 'string')
    return {
      current: told.currentModelId,
      all: namesIn(listOf(told.availableModels), 'modelId'),
      choose: (sessionId, modelId) => ({ method: 'session/set_model', params: { sessionId, modelId } }),
    }
  const option = listOf(opened.configOptions).find(
    ({ category, type }) => category === 'model' && type === 'select',
  )
  if (typeof option?.currentValue !== 'string') return null
  const options = listOf(option.options).flatMap((one) =>
    Array.isArray(one.options) ? listOf(one.options) : [one],
  )
  return {
    current: option.currentValue,
    all: namesIn(options, 'value'),
    choose: (sessionId, value) => ({
      method: 'session/set_config_option',
      // In the second version it goes by another name, and says what its value is.
      params: {
        sessionId,
        value,
        ...(option.id === undefined ? { configId: option.configId, type: 'id' } : { configId: option.id }),
      },
    }),
  }
}

const namesIn = (list: readonly Fields[], name: string): readonly string[] =>
  list
    .map((one) => textOf(one[name]))
    .filter((one) => one !== '')
    .slice(0, MOST_MODELS)
