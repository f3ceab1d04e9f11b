"""Training one pattern network on few labelled maps."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import torch
from jaxtyping import Float
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from torch import Tensor, nn
from torch.nn import functional as F

from stages.core.stage.settings import Parameters
from stages.patterns.augmentation import recompose, vary
from stages.patterns.labelled_maps import CLASSES, by_size
from stages.patterns.map_alone import MapAlone
from stages.patterns.map_file import Map
from stages.patterns.network import Architecture, PatternNetwork

Share = Annotated[NonNegativeFloat, Field(le=1)]


class Training(Parameters):
    """How a network is built and trained: keys of the section `classifier` of `params.yaml`."""

    side: PositiveInt
    width: PositiveInt
    last_width: PositiveInt
    epochs: PositiveInt
    batch: Annotated[PositiveInt, Field(gt=1)]
    learning_rate: PositiveFloat
    weight_decay: NonNegativeFloat
    adjudicated: Share
    doubt: Annotated[NonNegativeFloat, Field(lt=0.5)]
    balance: Share
    copies: PositiveInt
    recomposed: Share
    dropout: Annotated[NonNegativeFloat, Field(lt=1)]
    wide: Share
    wide_penalty: PositiveFloat


@dataclass(frozen=True)
class Trained:
    """Networks of some random starts: those that sort the maps, and those of maps alone."""

    networks: list[PatternNetwork]
    maps_alone: list[MapAlone]


def fit_networks(
    maps: list[Map],
    targets: Float[np.ndarray, "map class"],
    plain: Float[np.ndarray, "map feature"],
    training: Training,
    seeds: list[int],
    seeds_alone: list[int],
) -> Trained:
    """Train networks from their seeds; equal arguments and threads give equal weights.

    The wide path has no random start, so that it is fitted once.

    Args:
        targets: how sure each class is; see `LabelledMaps.targets`.
        plain: `feature_table` of the maps, for the wide path.
        seeds: of the networks that sort the maps, at least one.
        seeds_alone: of those that see the map alone.
    """
    networks, maps_alone = {}, {}
    for seed in sorted({*seeds, *seeds_alone}):
        found = fit_deep(maps, targets, training, seed, seed in seeds, seed in seeds_alone)
        networks[seed], maps_alone[seed] = found
    first, *others = (networks[seed] for seed in seeds)
    fit_wide_path(first, plain, targets, training.wide_penalty)
    for other in others:
        other.wide.load_state_dict(first.wide.state_dict())
    return Trained([first, *others], [maps_alone[seed] for seed in seeds_alone])


def fit_deep(
    maps: list[Map],
    targets: Float[np.ndarray, "map class"],
    training: Training,
    seed: int,
    with_network: bool = True,
    with_map_alone: bool = True,
) -> tuple[PatternNetwork, MapAlone]:
    """Train the convolutions of either network or both, on the same augmented copies of the maps.

    What is not asked for comes back as it began.
    """
    torch.manual_seed(seed)
    generator = np.random.default_rng(seed)
    sizes = {name: getattr(training, name) for name in ("side", "width", "last_width", "dropout")}
    network = PatternNetwork(Architecture(**sizes, wide=training.wide))
    map_alone = MapAlone(**sizes)
    copies, classes = augmented(maps, targets, training, generator)
    weights = class_weights(targets, classes, training.balance)
    seen = seen_by(network if with_network else map_alone, copies, training)
    if with_network:
        descend(network, seen, classes, weights, training, generator)
    if with_map_alone:
        # The first view is the map as a sheet shows it, which is all that this network sees.
        descend(map_alone, (seen[0][:, :, :1],), classes, weights, training, generator)
    return network, map_alone


def descend(
    network: nn.Module,
    seen: tuple[Float[Tensor, "map copy ..."], ...],
    classes: Float[Tensor, "map copy class"],
    weights: Float[Tensor, " class"],
    training: Training,
    generator: np.random.Generator,
) -> None:
    """Train a network on one copy of each map an epoch, in one cycle of the learning rate.

    Args:
        seen: what the network takes of each copy.
        weights: of the classes in the loss.
    """
    # Convolutions on a processor are a fifth faster with the channels last in memory.
    network.to(memory_format=torch.channels_last).train()
    # Drawn so, batches have their channels last without another copy.
    seen = tuple(part.movedim(2, -1).contiguous() for part in seen)
    optimizer = torch.optim.AdamW(
        network.parameters(), training.learning_rate, weight_decay=training.weight_decay, fused=True
    )
    batches = max(1, len(classes) // training.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, training.learning_rate, total_steps=training.epochs * batches
    )
    for _ in range(training.epochs):
        for rows in np.array_split(generator.permutation(len(classes)), batches):
            copy = generator.integers(training.copies, size=len(rows))
            logits = network(*(part[rows, copy].movedim(-1, 1) for part in seen))
            loss = F.cross_entropy(logits, classes[rows, copy], weight=weights)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    network.eval()


def fit_wide_path(
    network: PatternNetwork,
    plain: Float[np.ndarray, "map feature"],
    targets: Float[np.ndarray, "map class"],
    penalty: float,
) -> None:
    """Fit the wide path by logistic regression on the maps as they are, none of them augmented.

    Args:
        plain: `feature_table` of the maps.
    """
    plain = plain.astype(np.float32)
    path = network.wide
    standard = StandardScaler().fit(plain)
    path.mean.copy_(torch.from_numpy(standard.mean_))
    path.scale.copy_(torch.from_numpy(standard.scale_))
    terms = path.joined(torch.tensor(plain)).double().numpy()
    scaler = StandardScaler().fit(terms)
    # A soft target counts as one example of each class, with its share as the weight.
    row, label = np.nonzero(targets)
    model = LogisticRegression(C=1 / penalty, max_iter=5000)
    model.fit(scaler.transform(terms)[row], label, sample_weight=targets[row, label])
    weight, bias = np.zeros((len(CLASSES), terms.shape[1])), np.full(len(CLASSES), -np.inf)
    # Two classes share one row of coefficients.
    coefficients, intercepts = (
        (part if len(part) > 1 else np.concatenate([-part / 2, part / 2]))
        for part in (model.coef_, model.intercept_)
    )
    weight[model.classes_] = coefficients / scaler.scale_
    bias[model.classes_] = intercepts - weight[model.classes_] @ scaler.mean_
    path.linear.weight.copy_(torch.from_numpy(weight))
    path.linear.bias.copy_(torch.from_numpy(bias))


def augmented(
    maps: list[Map],
    targets: Float[np.ndarray, "map class"],
    training: Training,
    generator: np.random.Generator,
) -> tuple[list[Map], Float[Tensor, "map copy class"]]:
    """Augmented copies of each map, one map's after the other's, and their classes."""
    copies, classes = [], []
    for weights, target in zip(maps, targets, strict=True):
        for _ in range(training.copies):
            changed, made = weights.astype(np.float64), target
            if generator.random() < training.recomposed:
                label = int(target.argmax())
                changed, other = recompose(changed, label, generator)
                made = target if other == label else np.eye(len(CLASSES))[other]
            copies.append(vary(changed, generator))
            classes.append(torch.from_numpy(made).float())
    return copies, torch.stack(classes).unflatten(0, (len(maps), training.copies))


def seen_by(
    network: PatternNetwork | MapAlone, copies: list[Map], training: Training
) -> tuple[Float[Tensor, "map copy ..."], ...]:
    """What a network sees of the copies that `augmented` returns: views and plain features.

    The network of maps alone sees one view, and no features, which cost as much as all else here.
    """
    seen = None
    for places, stack in by_size(copies):
        found = network.see(stack)
        found = found if isinstance(found, tuple) else (found,)
        seen = seen or tuple(part.new_empty(len(copies), *part.shape[1:]) for part in found)
        for whole, part in zip(seen, found, strict=True):
            whole[places] = part
    return tuple(part.unflatten(0, (-1, training.copies)) for part in seen)


def class_weights(
    targets: Float[np.ndarray, "map class"],
    classes: Float[Tensor, "map copy class"],
    balance: float,
) -> Float[Tensor, " class"]:
    """Weights of the classes in the loss, so that recomposed copies do not shift their shares.

    Args:
        balance: 0 leaves each class its share among the labelled maps, 1 gives all the same.
    """
    share = torch.from_numpy(targets.mean(0)).float().clamp_min(1e-3)
    copied = classes.mean((0, 1)).clamp_min(1e-3)
    wanted = share ** (1 - balance)
    weights = wanted / wanted.sum() / copied
    return weights / (weights * copied).sum()
